# og alone on the libraries of libc, for documentation and for memory. npm run image lays out
# dist/image/, which is all that is copied, and makes the image without a daemon; docker build . makes
# it of the same folder. docs/reference/container.md says how to run it; compose.yaml is an example.
FROM scratch
ARG TARGETARCH=amd64
COPY dist/image/${TARGETARCH}/ /
COPY --chown=65532:65532 dist/image/owned/ /
ENV HOME=/data \
    OG_CACHE_DIR=/data/.cache \
    GROUNDMEMORY_ROOT_DIR=/data \
    GROUNDMEMORY_MCP__HOST=0.0.0.0 \
    GROUNDMEMORY_MCP__PORT=4242
USER 65532:65532
WORKDIR /data
VOLUME ["/data"]
EXPOSE 4241 4242
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 \
    CMD ["/usr/local/bin/og", "memory", "serve", "--health"]
ENTRYPOINT ["/usr/local/bin/og"]
CMD ["memory", "serve"]
