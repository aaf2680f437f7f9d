import { createHash, generateKeyPairSync, verify } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endpointOf, type ServerDialect } from './bucket-dialect.ts'
import { s3 } from './s3-server.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})

/** A part of the key of the service account that `google` accepts. */
export const googleKey = privateKey.split('\n')[3]!

/** Writes a key file as Google's console does. */
export function googleKeyFile(): string {
  const path = join(mkdtempSync(join(tmpdir(), 'og-google-')), 'key.json')
  const file = {
    type: 'service_account',
    client_email: 'og@acme.example',
    private_key_id: 'one',
    private_key: privateKey,
    token_uri: 'http://127.0.0.1:9/token',
  }
  writeFileSync(path, JSON.stringify(file))
  return path
}

function refused(status: number, reason: string): Response {
  const message = reason === 'noBucket' ? 'The specified bucket does not exist.' : googleKey
  const error = { code: status, message, errors: [{ reason, domain: googleKey }] }
  return Response.json({ error }, { status })
}

/**
 * Answers as Google's documentation of its JSON API describes; LanceDB reads through the XML API,
 * whose listings have the format of S3.
 */
export const google: ServerDialect = {
  address: 'gs://docs/team',
  env: (port) => ({
    GOOGLE_APPLICATION_CREDENTIALS: googleKeyFile(),
    OG_STORE__ENDPOINT: endpointOf(port),
  }),
  refused,
  denied({ headers, method }, { body, now }) {
    if (!isSigned(headers.get('authorization') ?? '', now)) return refused(401, 'authError')
    if (method !== 'POST') return null
    const md5 = createHash('md5').update(body).digest('base64')
    return headers.get('x-goog-hash') === `md5=${md5}` ? null : refused(400, 'invalid')
  },
  asked({ method }, url) {
    const query = url.searchParams
    const [, name] = /^(?:\/upload)?\/storage\/v1\/b\/docs\/o\/?(.*)$/.exec(url.pathname) ?? []
    const key = query.get('name') ?? decodeURIComponent(name ?? url.pathname.slice('/docs/'.length))
    if (key === '') {
      const from = query.get('pageToken') ?? query.get('continuation-token')
      return { does: 'list', key: query.get('prefix')!, from, delimiter: query.get('delimiter') }
    }
    const is = query.get('ifGenerationMatch')
    const does = method === 'POST' ? 'write' : method === 'DELETE' ? 'delete' : 'read'
    const unless = is === '0' ? '*' : query.get('ifGenerationNotMatch')
    return { does, key, is: is === '0' ? null : is, unless }
  },
  missing: () => refused(404, 'notFound'),
  other: () => refused(412, 'conditionNotMet'),
  tag: ({ nth }) => String(1_700_000_000_000_000 + nth),
  about: ({ etag }) => ({
    headers: { 'x-goog-generation': etag, etag: `"${etag}"` },
    text: JSON.stringify({ kind: 'storage#object', generation: etag }),
  }),
  page(listed, url) {
    if (!url.pathname.startsWith('/storage/')) return s3.page(listed, url)
    const items = listed.objects.map(({ key, size, modified }) => ({
      name: key,
      size: String(size),
      updated: new Date(modified).toISOString(),
    }))
    return JSON.stringify({
      ...(items.length > 0 ? { items } : {}),
      ...(listed.next === null ? {} : { nextPageToken: listed.next }),
    })
  },
}

/** Returns whether the service account itself has signed a token. */
function isSigned(authorization: string, now: number): boolean {
  const pattern = /^Bearer ([\w-]+\.([\w-]+))\.([\w-]+)$/
  const [, text, claims, signature] = pattern.exec(authorization) ?? []
  if (text === undefined) return false
  const { iss, scope, iat, exp } = JSON.parse(Buffer.from(claims!, 'base64url').toString())
  const isNow = iat * 1000 < now + 60_000 && exp * 1000 > now && exp - iat <= 3_600
  return (
    isNow &&
    iss === 'og@acme.example' &&
    /devstorage\.read_write$|cloud-platform$/.test(scope) &&
    verify('RSA-SHA256', Buffer.from(text), publicKey, Buffer.from(signature!, 'base64url'))
  )
}
