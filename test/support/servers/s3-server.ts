import { sha256 } from '../../../src/platform/hash.ts'

export type Body = Uint8Array<ArrayBuffer>
export type Kept = { body: Body; etag: string; modified: number }

/** `folders` are the parts of keys up to the delimiter. */
type ListedKeys = {
  objects: { key: string; size: number; modified: number }[]
  folders: string[]
  next: string | null
}

/** `key` includes the prefix of the store; a condition is null if there is none. */
export type Asked =
  | { does: 'list'; key: string; from: string | null; delimiter: string | null }
  | { does: 'read' | 'write' | 'delete'; key: string; is: string | null; unless: string | null }

export const secret = 'wJalrXUtnFEMI-never-to-be-printed'

/** An error answer of S3; it repeats signed values that must not be printed. */
export function refused(status: number, code: string): Response {
  const text = `<Error><Code>${code}</Code><AWSAccessKeyId>AKIDEXAMPLE</AWSAccessKeyId></Error>`
  return new Response(text, { status })
}

/** The requests and answers of S3; its bucket is `docs`, the store `team/`. */
export const s3 = {
  address: 's3://docs/team',
  env: (port: number): Record<string, string> => ({
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: secret,
    AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
  }),
  refused,
  denied({ headers }: Request, { body, now }: { body: Body; now: number }): Response | null {
    const signed = headers.get('authorization') ?? ''
    if (!signed.includes('Credential=AKIDEXAMPLE/')) return refused(403, 'InvalidAccessKeyId')
    const sum = headers.get('x-amz-content-sha256')
    // LanceDB signs read requests without a checksum.
    const isUnsummed = sum === 'UNSIGNED-PAYLOAD' && body.length === 0
    if (sum !== sha256(body) && !isUnsummed) return refused(400, 'BadDigest')
    const at = (headers.get('x-amz-date') ?? '').replace(/^(....)(..)(..T..)(..)/, '$1-$2-$3:$4:')
    const isSkewed = !(Math.abs(Date.parse(at) - now) < 900_000)
    return isSkewed ? refused(403, 'RequestTimeTooSkewed') : null
  },
  asked({ method, headers }: Request, url: URL): Asked {
    const key = decodeURIComponent(url.pathname).replace(/^\/docs\//, '')
    const query = url.searchParams
    if (query.has('list-type')) {
      const from = query.get('continuation-token')
      return { does: 'list', key: query.get('prefix')!, from, delimiter: query.get('delimiter') }
    }
    const is = headers.get('if-match')
    const unless = headers.get('if-none-match')
    const does = method === 'PUT' ? 'write' : method === 'DELETE' ? 'delete' : 'read'
    return { does, key, is, unless }
  },
  missing: (does: Asked['does']): Response =>
    does === 'delete' ? new Response(null, { status: 204 }) : refused(404, 'NoSuchKey'),
  other: (isThere: boolean): Response =>
    isThere ? refused(412, 'PreconditionFailed') : refused(404, 'NoSuchKey'),
  tag: (body: Body) => `"${sha256(body).slice(0, 32)}"`,
  page({ objects, folders, next }: ListedKeys): string {
    const contents = objects.map(
      ({ key, size, modified }) =>
        `<Contents><Key>${key}</Key><LastModified>${new Date(modified).toISOString()}` +
        `</LastModified><Size>${size}</Size><ETag>"tag"</ETag></Contents>`,
    )
    const below = folders.map((it) => `<CommonPrefixes><Prefix>${it}</Prefix></CommonPrefixes>`)
    const more = next && `<NextContinuationToken>${next}</NextContinuationToken>`
    const listed = [...contents, ...below, more ?? ''].join('')
    return `<ListBucketResult>${listed}</ListBucketResult>`
  },
}
