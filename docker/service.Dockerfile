# The image of one service: docker build -f docker/service.Dockerfile --build-arg APP=ingest .
FROM node:24.21.0-bookworm-slim AS build
ARG APP
WORKDIR /workspace
COPY . .
RUN npm ci --ignore-scripts --no-fund --no-audit \
 && NX_DAEMON=false npx nx run "@sluice/${APP}:prune" \
 && mv "apps/${APP}/dist" /pruned
WORKDIR /pruned
RUN npm ci --omit=dev --ignore-scripts --no-fund --no-audit

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production
WORKDIR /service
COPY --from=build --chown=root:root /pruned .
USER node
# No npm and no shell in between: signals reach the service itself, which drains on SIGTERM.
CMD ["node", "--disable-warning=TimeoutNegativeWarning", "main.js"]
