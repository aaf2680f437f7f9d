# The memory server in a container: dist/og (npm run build) has everything inside, and all that it
# writes is in /data. docs/reference/memory-server.md says how to run it; compose.yaml is an example.
FROM debian:bookworm-slim
RUN install -d -o 65532 -g 65532 -m 700 /data
COPY --chmod=755 dist/og /usr/local/bin/og
COPY LICENSE /usr/share/licenses/og/LICENSE
ENV GROUNDMEMORY_ROOT_DIR=/data \
    GROUNDMEMORY_MCP__HOST=0.0.0.0 \
    GROUNDMEMORY_MCP__PORT=4242 \
    OG_CACHE_DIR=/data/.cache
USER 65532:65532
WORKDIR /data
VOLUME ["/data"]
EXPOSE 4242
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 \
    CMD ["/usr/local/bin/og", "memory", "serve", "--health"]
ENTRYPOINT ["/usr/local/bin/og"]
CMD ["memory", "serve"]
