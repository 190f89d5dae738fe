# Node runs the TypeScript as it is: there is nothing to build, only packages to install.
FROM node:24-bookworm-slim

ENV NODE_ENV=production
WORKDIR /app

COPY package.json package-lock.json ./
# The image has its own Node, and nobody compiles or debugs the packages in it.
RUN npm ci --omit=dev --omit=optional --omit=peer --no-audit --no-fund \
  && npm cache clean --force \
  && find node_modules -type f -regex '.*\.\(map\|d\.[cm]?ts\)' -delete

COPY src ./src
COPY queues ./queues
COPY workers ./workers
COPY migrations ./migrations
COPY docs ./docs
COPY README.md ./

# Optional, for web pages that need JavaScript: some 400 MB more.
# RUN apt-get update && apt-get install -y --no-install-recommends chromium && rm -rf /var/lib/apt/lists/*

# The embedded size keeps everything in DATA_DIR; with DATABASE_URL nothing is written there.
RUN mkdir /data && chown node:node /data
VOLUME /data
ENV HOST=0.0.0.0 PORT=3000 DATA_DIR=/data

USER node
EXPOSE 3000

HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]

# API and all workers in one process; docker-compose.yml starts them one by one.
CMD ["node", "src/main.ts"]
