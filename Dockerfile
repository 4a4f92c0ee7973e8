ARG NODE_IMAGE=node:24.21.0-slim

FROM ${NODE_IMAGE} AS install
WORKDIR /app
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
COPY patches patches
COPY apps/admin/package.json apps/admin/
COPY apps/api/package.json apps/api/
COPY apps/worker/package.json apps/worker/
COPY packages/auth/package.json packages/auth/
COPY packages/db/package.json packages/db/
COPY packages/domain/package.json packages/domain/
COPY packages/paging/package.json packages/paging/
COPY packages/process/package.json packages/process/
COPY packages/queue/package.json packages/queue/
# The secret is for a private registry only: docker build --secret id=npmrc,src=$HOME/.npmrc .
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
    --mount=type=cache,target=/root/.npm \
    --mount=type=cache,target=/pnpm-store \
    npx -y pnpm@12.21.0 install --prod --frozen-lockfile --store-dir /pnpm-store \
      --filter '@inventory/admin...' --filter '@inventory/api...' --filter '@inventory/worker...'

FROM ${NODE_IMAGE}
# Nothing is installed in a running container. The folders are there for volumes mounted on them to belong to the user.
RUN rm -rf /opt/yarn* /usr/local/include /usr/local/lib/node_modules \
      /usr/local/bin/corepack /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/yarn* \
    && install -d -o 10001 -g 10001 /secrets \
      /secrets-of/api /secrets-of/worker /secrets-of/operator /secrets-of/redis
ENV NODE_ENV=production
# How the command line is called here, for what it and the processes advise.
ENV INVENTORY_COMMAND="node apps/admin/src/main.ts"
WORKDIR /app
COPY --from=install /app ./
# The sources stay outside node_modules, where Node strips no types; the workspace's links lead to them.
COPY apps apps
COPY packages packages
COPY docker/health.sh docker/
# The page of operations shows it.
COPY docs/alerts.md docs/
# What Node makes of the sources, made once: a process starts in half the time. Node keeps it apart for each user, and it is
# nobody's to change.
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
# Without the base image's entry point, which is a shell script.
ENTRYPOINT ["node", "--max-semi-space-size=64"]
CMD ["apps/api/src/main.ts"]
