type Answer = (request: Request) => Response | Promise<Response>

/** Answers requests on a free port of this machine. */
export function serveLocal(fetch: Answer): Bun.Server<undefined> {
  return Bun.serve({ port: 0, hostname: '127.0.0.1', fetch })
}
