# The container image of Mooring; docs/operations/container.md says how to build, run and check it.
ARG NODE_IMAGE=docker.io/library/node:22-bookworm-slim
ARG BASE_IMAGE=docker.io/library/debian:bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
# No package needs its install script: native code comes in packages for each platform.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
 && find dist -name '*.map' -delete && find node_modules -type d -empty -delete
RUN install -D --mode=755 "$(command -v node)" /result/usr/local/bin/node \
 && install -D --mode=644 deploy/container/mooring.yaml /result/etc/mooring/mooring.yaml \
 && mkdir --parents /result/app && cp -R dist node_modules package.json LICENSE /result/app/ \
 && ln -s /app/dist/mooring.js /result/usr/local/bin/mooring

# The result has the program and Node, without npm, compilers and sources.
FROM ${BASE_IMAGE}
RUN groupadd --gid 10001 mooring \
 && useradd --uid 10001 --gid mooring --home-dir /var/lib/mooring --no-create-home --shell /usr/sbin/nologin mooring \
 && install --directory --mode=700 --owner=mooring --group=mooring /var/lib/mooring
COPY --from=build /result/ /
ENV NODE_ENV=production MOORING_CONFIG=/etc/mooring/mooring.yaml HEALTH_PORT=8080
# A number, so that Kubernetes can see that it is not root.
USER 10001:10001
WORKDIR /var/lib/mooring
VOLUME /var/lib/mooring
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.HEALTH_PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/mooring.js"]
CMD ["start"]
