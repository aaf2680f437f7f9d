import { option } from '../../command.ts'
import { messageOf } from '../../../platform/error.ts'
import type { Context } from '../../context.ts'

export async function requestHealth(
  { terminal }: Context,
  { hostname, port }: { hostname: string; port: number },
): Promise<number> {
  const everywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }
  const host = hostname.includes(':') ? `[${hostname}]` : hostname
  const url = `http://${everywhere[hostname] ?? host}:${port}/health`
  const problem = await statusOf(url).then(
    (status) => (status === 200 ? null : `status ${status}`),
    messageOf,
  )
  if (problem === null) await terminal.write('ok\n')
  else terminal.note('error', `no healthy server at ${url}: ${problem}`)
  return problem === null ? 0 : 1
}

/** Sends the request without fetch, which would use a proxy from the environment. */
async function statusOf(url: string): Promise<number> {
  const { get } = await import('node:http')
  return new Promise((resolve, reject) => {
    const request = get(url, { timeout: healthMs }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    request.on('timeout', () => request.destroy(new Error(`no answer in ${healthMs / 1000} s`)))
    request.on('error', reject)
  })
}

const healthMs = 3_000

export const listenOptions = {
  host: option.text('ADDRESS', 'address to listen on (default: 127.0.0.1)'),
  port: option.whole('N', 'port to listen on; 0 selects a free one', { min: 0, max: 65_535 }),
  'allow-host': option.texts('NAME', 'a host name that clients use for this server'),
} as const
