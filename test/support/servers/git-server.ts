export type GitServer = AsyncDisposable & {
  /** `http://127.0.0.1:PORT`; repositories have the path of their folder. */
  url: string
  /** Paths and queries of all requests. */
  requests: string[]
  /** From now on the server answers nothing until it closes. */
  stall(): void
}

/** Serves the repositories in a folder by smart HTTP on loopback. */
export function serveRepositories(folder: string): GitServer {
  const requests: string[] = []
  let isStalled = false
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      requests.push(`${request.method} ${pathname}${search}`)
      if (isStalled) return new Promise<Response>(() => {})
      return answer(folder, request)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    stall: () => (isStalled = true),
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

/** Runs git's own program for web servers through the Common Gateway Interface (RFC 3875). */
async function answer(folder: string, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  const body = new Uint8Array(await request.arrayBuffer())
  const child = Bun.spawn(['git', 'http-backend'], {
    env: {
      ...(process.env as Record<string, string>),
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers.get('content-type') ?? '',
      CONTENT_LENGTH: String(body.length),
      HTTP_CONTENT_ENCODING: request.headers.get('content-encoding') ?? '',
      GIT_PROTOCOL: request.headers.get('git-protocol') ?? '',
    },
    stdin: body,
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const output = Buffer.from(await new Response(child.stdout).arrayBuffer())
  const end = output.indexOf('\r\n\r\n')
  const fields = output.subarray(0, end).toString('latin1').split('\r\n')
  const headers = new Headers(fields.map((field) => field.split(': ', 2) as [string, string]))
  const status = Number(headers.get('status')?.slice(0, 3) ?? 200)
  headers.delete('status')
  return new Response(new Uint8Array(output.subarray(end + 4)), { status, headers })
}
