import { join } from 'node:path'
import { homedir } from 'node:os'
import { objectOf, parseJsonOrUndefined } from '../../platform/json.ts'
import { messageOf, OgError } from '../../platform/error.ts'
import { readTextFile } from '../../platform/file/read-file.ts'
import { sha256 } from '../../platform/hash.ts'
import { isLoopbackHost } from '../../platform/web/address-rule.ts'
import type { HttpResponse, Web } from '../../platform/web/web.ts'
import { findShapeFault, isCount, isText, listOf, object, rule } from '../../store/json-rules.ts'
import { parseOciAddress } from './pack-address.ts'

/** The files of a tag or digest, by title, as `oras push` writes them. */
type OciArtifact = {
  files: ReadonlyMap<string, OciFile>
  /** Returns the URL of a file's content. */
  urlOf(file: OciFile): string
  /** Returns the headers that authorise a request to a URL; none for another host. */
  headers(url: URL): Record<string, string>
}

type OciFile = { sha256: string; size: number }

type Opening = { web: Web; signal?: AbortSignal | undefined; env?: NodeJS.ProcessEnv }

/**
 * Reads the manifest of a tag or digest from an OCI registry (OCI distribution specification 1.1,
 * "pull").
 * @throws OgError if the registry lacks the manifest or refuses access; NetworkError
 */
export async function openOci(typed: string, opening: Opening): Promise<OciArtifact> {
  const place = parseOciAddress(typed)
  const { host, repository, reference } = place
  const origin = `${isLoopbackHost(hostname(host)) ? 'http' : 'https'}://${host}`
  const base = `${origin}/v2/${repository}`
  await opening.web.trust(origin)
  const asking = { ...opening, origin, what: `"${typed}"`, repository, authorization: '' }
  const bytes = await readManifest(asking, `${base}/manifests/${reference}`)
  if (reference.startsWith('sha256:') && `sha256:${sha256(bytes)}` !== reference) {
    throw refusedOci(asking.what, 'what came is not what its digest names')
  }
  const { authorization } = asking
  return {
    files: filesOf(bytes, asking.what),
    urlOf: (file) => `${base}/blobs/sha256:${file.sha256}`,
    headers: (url): Record<string, string> =>
      url.origin === origin && authorization !== '' ? { authorization } : {},
  }
}

function hostname(host: string): string {
  return host.replace(/:\d+$/, '')
}

function refusedOci(what: string, why: string, hint?: string): OgError {
  return new OgError(`Cannot use ${what}: ${why}`, { reason: why, hint })
}

type OciAsking = Opening & {
  origin: string
  what: string
  repository: string
  /** The value of the header `authorization`; empty until the registry demands one. */
  authorization: string
}

const manifestType = 'application/vnd.oci.image.manifest.v1+json'
const limits = { sizeBytes: 4 * 2 ** 20, timeoutMs: 120_000 }

/** Reads the manifest, first anonymously, then with the authorisation that the registry demands. */
async function readManifest(asking: OciAsking, url: string): Promise<Uint8Array> {
  const ask = () => {
    const headers = ({ origin }: URL): Record<string, string> => ({
      accept: manifestType,
      ...(origin === asking.origin && asking.authorization !== ''
        ? { authorization: asking.authorization }
        : {}),
    })
    const { web, signal } = asking
    return web.fetch(url, { headers, signal, attempts: 2 }, async (answer) => ({
      status: answer.status,
      challenge: answer.headers.get('www-authenticate') ?? '',
      bytes: answer.status === 200 ? await answer.bytes(limits) : null,
    }))
  }
  let answer = await ask()
  if (answer.status === 401) {
    asking.authorization = await authorizationFor(asking, answer.challenge)
    answer = await ask()
  }
  if (answer.bytes !== null) return answer.bytes
  const { status } = answer
  if (status === 401 || status === 403) throw refusedOci(asking.what, 'it lets nobody in', authHint)
  if (status !== 404) throw refusedOci(asking.what, `the registry answered ${status}`)
  const reason = 'the registry has no such thing'
  throw new OgError(`Cannot use ${asking.what}: ${reason}`, { reason, code: 'absent' })
}

const authHint =
  'credentials are those under "auths" in ~/.docker/config.json; og runs no ' + 'credential helper'

/**
 * Answers a challenge (RFC 9110 §11.6.1) with Basic authentication, or with a token from the
 * service named in the challenge.
 */
async function authorizationFor(asking: OciAsking, challenge: string): Promise<string> {
  const { what, origin } = asking
  const basic = await storedLogin(asking)
  const [, scheme = '', rest = ''] = /^\s*(\w+)\s*(.*)$/s.exec(challenge) ?? []
  if (/^basic$/i.test(scheme) && basic !== null) return basic
  const fields = Object.fromEntries([...rest.matchAll(/(\w+)="([^"]*)"/g)].map((it) => it.slice(1)))
  const {
    realm = '',
    service,
    scope = `repository:${asking.repository}:pull`,
  } = fields as Record<string, string | undefined>
  if (!/^bearer$/i.test(scheme) || !URL.canParse(realm)) {
    throw refusedOci(what, 'it lets nobody in', authHint)
  }
  const url = new URL(realm)
  if (service !== undefined) url.searchParams.set('service', service)
  url.searchParams.set('scope', scope)
  // Sends a password only over a secure connection, or back to the host that asked for it.
  const isSafe = url.protocol === 'https:' || url.origin === origin || isLoopbackHost(url.hostname)
  const headers = (to: URL): Record<string, string> =>
    basic !== null && isSafe && to.origin === url.origin ? { authorization: basic } : {}
  const { signal } = asking
  const token = await asking.web.fetch(url.href, { headers, signal, attempts: 2 }, tokenOf)
  if (token === null) throw refusedOci(what, 'its token service gives no token', authHint)
  return `Bearer ${token}`
}

async function tokenOf(answer: HttpResponse): Promise<string | null> {
  if (answer.status !== 200) return null
  const bytes = await answer.bytes({ sizeBytes: 2 ** 20, timeoutMs: 60_000 })
  const { token = null, access_token } = objectOf(parseJsonOrUndefined(bytes))
  const given = token ?? access_token
  return typeof given === 'string' && /^[\x21-\x7e]+$/.test(given) ? given : null
}

/** Reads the login that `docker login` stored for this host; null if there is none. */
async function storedLogin({ origin, env = process.env }: OciAsking): Promise<string | null> {
  const path = join(env.DOCKER_CONFIG || join(env.HOME ?? homedir(), '.docker'), 'config.json')
  const text = await readTextFile(path, { limitMb: 1 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw new OgError(`Cannot read "${path}": ${messageOf(error)}`)
  })
  if (text === null) return null
  const { host } = new URL(origin)
  const auths = objectOf(objectOf(parseJsonOrUndefined(text)).auths)
  const login = auths[host] ?? auths[`https://${host}`] ?? auths[`${origin}/`]
  const { auth } = objectOf(login)
  return typeof auth === 'string' && /^[\w+/=]+$/.test(auth) ? `Basic ${auth}` : null
}

const titleKey = 'org.opencontainers.image.title'
const manifestRule = object({
  schemaVersion: rule('2', (it) => it === 2),
  layers: listOf(
    object({
      digest: rule('a SHA-256', (it) => isText(it) && /^sha256:[0-9a-f]{64}$/.test(it as string)),
      size: rule('a count', isCount),
    }),
  ),
})

type Layer = { digest: string; size: number; annotations?: Record<string, unknown> }

/** Layers without a title are not files: other tools store their own data there. */
function filesOf(bytes: Uint8Array, what: string): Map<string, OciFile> {
  const manifest = parseJsonOrUndefined(bytes)
  const why = findShapeFault(manifest, manifestRule, 'its manifest')
  if (why !== null) throw refusedOci(what, why)
  const { layers } = manifest as { layers: Layer[] }
  return new Map(
    layers.flatMap(({ digest, size, annotations }) => {
      const title = annotations?.[titleKey]
      return typeof title === 'string' ? [[title, { sha256: digest.slice(7), size }]] : []
    }),
  )
}

/**
 * Returns the pack named by the address.
 * @throws OgError if there is no such pack, or more than one
 */
export function findPackFile({ files }: OciArtifact, typed: string): OciFile {
  const { file } = parseOciAddress(typed)
  const packs = [...files].filter(([title]) => title.endsWith('.ogpack'))
  const titled = file === null ? packs : packs.filter(([title]) => title === file)
  if (titled.length === 1) return titled[0]![1]
  const some = packs
    .slice(0, 3)
    .map(([title]) => title)
    .join(', ')
  const names = packs.length > 3 ? `${some} …` : some
  throw refusedOci(
    `"${typed}"`,
    titled.length > 1
      ? `it has ${titled.length} packs (${names})`
      : file === null
        ? 'it has no pack'
        : `it has no "${file}"`,
    packs.length === 0 ? undefined : 'name one behind #, as oci://HOST/REPOSITORY:TAG#x.ogpack',
  )
}
