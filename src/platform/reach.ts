import { OgError } from './error.ts'

/**
 * How far an agent's words reach. An agent may have read a stranger's page a moment ago: what it
 * names is a stranger's address. Where nobody says so (`null`), a person named it.
 */
export type Reach = {
  /** Beside public hosts: `host`, or `host:port`, as `allowedHost` spells them. */
  hosts: readonly string[]
  /** The project, absolute, in which folders may be named; null: none may. */
  folder: string | null
}

/** Where a connection would go; an empty port is that of the protocol. */
export type Endpoint = { protocol: string; hostname: string; port: string }

/**
 * A host, with or without a port, in the one spelling that is compared.
 * @throws OgError for what is neither
 */
export function allowedHost(typed: string): string {
  const bare = /^[^[\]]*:[^[\]]*:/.test(typed) ? `[${typed}]` : typed
  const [, name = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(bare) ?? []
  const isPlain = name !== '' && !/[\s/?#@\\*%]/.test(name) && Number(port ?? 1) <= 65_535
  if (!isPlain || !URL.canParse(`http://${name}`)) {
    throw new OgError(`Cannot allow ${JSON.stringify(typed)}: it is no host and no HOST:PORT`, {
      hint: 'write docs.example.org, 10.0.0.7:8080 or [fd00::7]:8080',
    })
  }
  const host = plainName(new URL(`http://${name}`).hostname)
  return port === undefined ? host : `${host}:${Number(port)}`
}

/** Whether the person who started the server has allowed this host. */
export function isAllowed({ hosts }: Reach, { protocol, hostname, port }: Endpoint): boolean {
  const host = plainName(hostname)
  const spoken = port || (ports[protocol] ?? '')
  return hosts.includes(host) || hosts.includes(`${host}:${spoken}`)
}

/** What the person has to do so that an agent may name it. */
export function allowHint(hostname: string): string {
  const flags = `--allow-host ${plainName(hostname)} (og serve: --allow-source-host)`
  return `an agent may name public hosts; who starts the server can allow this one: ${flags}`
}

/**
 * What a server passes to its jobs, as JSON.
 * @throws OgError for anything else: a slip must not open more
 */
export function parseReach(text: string): Reach {
  const refusal = new OgError('Cannot use OG_REACH: it is not what og writes there', {
    hint: 'og mcp and og serve set it for their own jobs; unset it',
  })
  if (!isJson(text)) throw refusal
  const { hosts, folder } = (JSON.parse(text) ?? {}) as Partial<Record<keyof Reach, unknown>>
  const isList = Array.isArray(hosts) && hosts.every((host) => typeof host === 'string')
  if (!isList || (folder !== null && typeof folder !== 'string')) throw refusal
  return { hosts: hosts.map(allowedHost), folder }
}

const ports: Record<string, string> = {
  'http:': '80', 'https:': '443', 'ssh:': '22', 'git+ssh:': '22', 'ssh+git:': '22', 'git:': '9418',
}

function plainName(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '')
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
