# syntax=docker/dockerfile:1

# Node 24 is the long-term release; pin a digest by --build-arg NODE_IMAGE=node:24-slim@sha256:…
ARG NODE_IMAGE=node:24-slim

# Everything that a build needs, and nothing of it stays.
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json prisma.config.ts ./
COPY prisma prisma
COPY tools tools
COPY src src
RUN npm run build

# What the service needs to run: no compiler, no Prisma command line, no embedded PostgreSQL.
FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=peer --omit=optional --no-audit --no-fund

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="Pet Store Service" \
      org.opencontainers.image.description="An HTTP and JSON service to manage a pet store's animals and orders" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json ./
COPY prisma/migrations prisma/migrations
COPY prisma/roles.sql prisma/roles.sql
RUN ln -s /app/dist/cli/main.js /usr/local/bin/petstore && chmod 755 /app/dist/cli/main.js
USER node
EXPOSE 3000
# Any answer will do, also a 401: it says that the service accepts and answers.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/v1').then(() => process.exit(0), () => process.exit(1))"]
# V8 would begin with less room for young objects, and shrink it in each pause: collecting them took a tenth of the time.
CMD ["node", "--min-semi-space-size=16", "dist/main.js"]
