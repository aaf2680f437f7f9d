import { objectOf, parseJsonOrUndefined } from './json.ts'
import { OgError } from './error.ts'

/**
 * The hosts and folders that an agent may use as a source. A URL or path from an agent is untrusted
 * because it may come from a page that the agent has read. If `Reach` is null, a person chose the
 * source and these limits do not apply.
 */
export type Reach = {
  /** Hosts allowed in addition to public ones, in the form that `allowedHost` returns. */
  hosts: readonly string[]
  /** Absolute path of the project that contains all allowed folders. Null allows none. */
  folder: string | null
}

export type Endpoint = { protocol: string; hostname: string; port: string }

/** Normalises a host (with or without port). @throws OgError if the text is not a host */
export function allowedHost(text: string): string {
  const bare = /^[^[\]]*:[^[\]]*:/.test(text) ? `[${text}]` : text
  const [, name = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(bare) ?? []
  const isPlain = name !== '' && !/[\s/?#@\\*%]/.test(name) && Number(port ?? 1) <= 65_535
  if (!isPlain || !URL.canParse(`http://${name}`)) {
    throw new OgError(`Cannot allow ${JSON.stringify(text)}: it is neither a host nor HOST:PORT`, {
      hint: 'write docs.example.org, 10.0.0.7:8080 or [fd00::7]:8080',
    })
  }
  const host = plainName(new URL(`http://${name}`).hostname)
  return port === undefined ? host : `${host}:${Number(port)}`
}

export function isAllowed({ hosts }: Reach, { protocol, hostname, port }: Endpoint): boolean {
  const host = plainName(hostname)
  const actualPort = port || (ports[protocol] ?? '')
  return hosts.includes(host) || hosts.includes(`${host}:${actualPort}`)
}

export function allowHint(hostname: string): string {
  const flags = `--allow-host ${plainName(hostname)} (og serve: --allow-source-host)`
  return `an agent may name public hosts; who starts the server can allow this one: ${flags}`
}

/**
 * Parses the `Reach` that a server passes to its jobs as JSON.
 * @throws OgError if the text has a different form, so that a mistake never allows more
 */
export function parseReach(text: string): Reach {
  const refusal = new OgError('Cannot use OG_REACH: og did not write it', {
    hint: 'og mcp and og serve set it for their own jobs; unset it',
  })
  const { hosts, folder } = objectOf(parseJsonOrUndefined(text))
  const isList = Array.isArray(hosts) && hosts.every((host) => typeof host === 'string')
  if (!isList || (folder !== null && typeof folder !== 'string')) throw refusal
  return { hosts: hosts.map(allowedHost), folder }
}

const ports: Record<string, string> = {
  'http:': '80',
  'https:': '443',
  'ssh:': '22',
  'git+ssh:': '22',
  'ssh+git:': '22',
  'git:': '9418',
}

function plainName(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '')
}
