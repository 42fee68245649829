export const Loading = () => (
  <div class="loading" role="status">
    <span class="sr">Loading</span>
    <span class="bar" />
    <span class="bar" />
    <span class="bar" />
  </div>
);
