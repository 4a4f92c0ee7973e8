ARG NODE_IMAGE=node:24.21.0-slim

FROM ${NODE_IMAGE} AS install
WORKDIR /app
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
COPY patches patches
COPY apps/admin/package.json apps/admin/
COPY apps/api/package.json apps/api/
COPY apps/console/package.json apps/console/
COPY apps/worker/package.json apps/worker/
COPY packages/auth/package.json packages/auth/
COPY packages/client/package.json packages/client/
COPY packages/db/package.json packages/db/
COPY packages/domain/package.json packages/domain/
COPY packages/libraries/postgres/package.json packages/libraries/postgres/
COPY packages/libraries/process/package.json packages/libraries/process/
COPY packages/libraries/redis/package.json packages/libraries/redis/
COPY packages/libraries/turns/package.json packages/libraries/turns/
COPY packages/libraries/webhooks/package.json packages/libraries/webhooks/
COPY packages/paging/package.json packages/paging/
COPY packages/queue/package.json packages/queue/
# The secret is only for a private registry: docker build --secret id=npmrc,src=$HOME/.npmrc .
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    --mount=type=cache,target=/root/.npm \
    --mount=type=cache,target=/pnpm-store \
    npx -y pnpm@12.21.0 install --prod --frozen-lockfile --store-dir /pnpm-store \
      --filter '@inventory/admin...' --filter '@inventory/api...' --filter '@inventory/worker...'

# The client for programs, as the api serves it. The compiler stays behind.
FROM install AS client
COPY tsconfig.json ./
COPY packages/client packages/client
COPY apps/console/src apps/console/src
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    --mount=type=cache,target=/root/.npm \
    --mount=type=cache,target=/pnpm-store \
    rm -rf node_modules apps/*/node_modules packages/*/node_modules packages/libraries/*/node_modules \
    && npx -y pnpm@12.21.0 install --frozen-lockfile --store-dir /pnpm-store --filter '@inventory/console...' \
    && node apps/console/src/build-client-package.ts

FROM ${NODE_IMAGE}
# A running container installs nothing. These folders exist so that volumes mounted on them belong to the user.
RUN rm -rf /opt/yarn* /usr/local/include /usr/local/lib/node_modules \
      /usr/local/bin/corepack /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/yarn* \
    && install -d -o 10001 -g 10001 /secrets \
      /secrets-of/api /secrets-of/worker /secrets-of/operator /secrets-of/redis
ENV NODE_ENV=production
# How to call the command line here; the advice in messages uses it.
ENV INVENTORY_COMMAND="node apps/admin/src/main.ts"
WORKDIR /app
COPY --from=install /app ./
# The sources stay outside node_modules, where Node strips no types. The workspace's links lead to them.
COPY apps apps
COPY packages packages
COPY --from=client /app/packages/client/client.tgz packages/client/
COPY docker/health.sh docker/
# The operations page and the docs page serve them.
COPY docs/*.md docs/
# Node's compile cache, so that a process starts in half the time. Node keeps one for each user, and it stays read-only.
ENV NODE_COMPILE_CACHE=/app/.compiled
RUN install -d -o 10001 -g 10001 .compiled
USER 10001:10001
RUN ["node", "--input-type=module", "--eval", \
     "await import('/app/apps/api/src/server.ts'); await import('/app/apps/worker/src/worker.ts')"]
RUN ["node", "apps/admin/src/main.ts", "--help"]
USER root
RUN chown -R 0:0 .compiled && chmod -R a+rX,go-w .compiled
USER 10001:10001
STOPSIGNAL SIGTERM
# Replaces the base image's entry point, a shell script.
ENTRYPOINT ["node", "--max-semi-space-size=64"]
CMD ["apps/api/src/main.ts"]
