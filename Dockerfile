# The image of the service: docs/deployment.md.

# Node 24 is the long-term release. To pin the base images: --build-arg NODE_IMAGE=node:24-slim@sha256:…, and likewise DEBIAN_IMAGE.
ARG NODE_IMAGE=node:24-slim
ARG DEBIAN_IMAGE=debian:trixie-slim

# The build stage; only its output is copied.
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY .swcrc nest-cli.json tsconfig.json tsconfig.build.json prisma.config.ts ./
COPY prisma prisma
COPY tools/project.mjs tools/project.mjs
COPY tools/client tools/client
COPY client client
COPY src src
RUN npm run build && find dist -name '*.map' -delete

# What the service needs to run: no compiler, no Prisma command line, no embedded PostgreSQL.
FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=peer --omit=optional --no-audit --no-fund
# Half of it is source maps and Prisma's query compilers: for five databases, in two sizes and two module formats.
RUN find node_modules -name '*.map' -delete && \
    find node_modules/@prisma/client/runtime -name 'query_compiler_*' ! -name 'query_compiler_small_bg.postgresql.*' -delete

# The rest of /app, readable by every user whatever the umask of the checkout.
FROM ${NODE_IMAGE} AS files
WORKDIR /app
COPY package.json ./
COPY prisma/migrations prisma/migrations
COPY prisma/sql prisma/sql
COPY prisma/roles.sql prisma/roles.sql
COPY deploy/health.mjs health.mjs
COPY --from=build /app/dist dist
RUN chmod -R u=rwX,go=rX . && chmod 755 dist/cli/main.js

# Node.js alone, without npm and the like.
FROM ${DEBIAN_IMAGE}
COPY --from=build /usr/local/bin/node /usr/local/bin/node
# Programs look up their user's name. The audit export of docker-compose.yml writes to /audit.
RUN useradd --uid 1000 --user-group --no-create-home petstore && install -d -o petstore -g petstore -m 700 /audit && \
    ln -s /app/dist/cli/main.js /usr/local/bin/petstore && node --version
WORKDIR /app
# Root owns everything, so the service cannot modify itself if the root file system is writable.
COPY --from=dependencies /app/node_modules node_modules
COPY --from=files /app ./
# The management port listens on the container's network; outside of an image, on localhost.
# The container's user does not identify who changes a key.
ENV NODE_ENV=production PETSTORE_ACTOR= MANAGEMENT_HOST=0.0.0.0
# By number, so that Kubernetes can see that it is not root.
USER 1000:1000
# The public port, and the one for probes and metrics, which is not for the public.
EXPOSE 3000 3001
# Liveness, not readiness: a restart while the database is away would not help.
HEALTHCHECK --interval=10s --timeout=3s --start-period=120s --retries=3 \
  CMD ["node", "/app/health.mjs"]
# Two settings of V8, explained in docs/decisions/18-v8-flags-in-the-image.md: 190 MB under load instead of 310, at the same pace.
CMD ["node", "--no-allocation-site-pretenuring", "--max-semi-space-size=16", "dist/main.js"]

# Last, because it changes with each build: the layers above stay in the cache.
ARG VERSION=0.0.0-dev
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
ARG SOURCE=
ARG DEBIAN_IMAGE
LABEL org.opencontainers.image.title="Pet Store Service" \
      org.opencontainers.image.description="An HTTP and JSON service to manage a pet store's pets and orders" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}" \
      org.opencontainers.image.base.name="${DEBIAN_IMAGE}"
