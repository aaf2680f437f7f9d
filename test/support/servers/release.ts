import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeArchive } from '../../../scripts/release/archive.ts'
import { writeSums } from '../../../scripts/release/release.ts'
import type { SigningKeys } from '../../../scripts/release/identity.ts'
import { publicKeyOf, publicKeyOfP256 } from '../../../scripts/release/sign.ts'
import { hostTarget } from '../../../scripts/build/target.ts'
import { newMinisignKeys } from '../../../src/platform/minisign.ts'
import { sha256OfFile } from '../../../src/platform/hash.ts'
import type { PublishedRelease } from '../../../src/platform/published.ts'
import { serveLocal } from './serve-local.ts'

export type ReleaseServer = Disposable & {
  /** The value for OG_BASE_URL and OG_UPDATE_URL. */
  base: string
  publicKey: string
  publicKeyP256: string
  secretKey: string
  /** The folder with the files of the release, so that tests can damage them. */
  folder: string
  /** Answers instead of the server. If this or its result is null, the server sends the files. */
  answer: ((name: string) => Response | Promise<Response> | null) | null
  /** Paths of all requests. */
  asked: string[]
}

/** Serves a signed release whose executable is a shell script. */
export async function serveRelease(
  folder: string,
  {
    version,
    script,
    kinds = archiveKinds,
  }: { version: string; script: string; kinds?: readonly string[] },
): Promise<ReleaseServer> {
  mkdirSync(folder, { recursive: true })
  const keys = { ed25519: newMinisignKeys().secretKey, p256: newP256Key() }
  const target = hostTarget().name
  const executable = join(folder, 'og')
  writeFileSync(executable, script, { mode: 0o755 })
  const name = `og-${version}-${target}`
  const archives = []
  const entries = [{ name: 'og', path: executable, isExecutable: true }]
  for (const kind of kinds) {
    const path = join(folder, `${name}.${kind}`)
    await writeArchive(path, entries, { folder: name, seconds: 0 })
    archives.push(await released(path))
  }
  const release: PublishedRelease = {
    format: 1,
    name: 'og',
    version,
    commit: 'c0ffee',
    date: '2026-01-01T00:00:00.000Z',
    targets: { [target]: { archives, executable: await released(executable), trial: null } },
    missing: {},
  }
  writeFileSync(join(folder, 'release.json'), JSON.stringify(release))
  const names = ['release.json', ...archives.map(({ file }) => file)]
  await writeSums(folder, names, { keys, comment: `og ${version}` })
  return served(folder, keys, version)
}

/** Creates a secret key as `openssl ecparam -name prime256v1 -genkey -noout` writes it. */
export function newP256Key(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  return privateKey.export({ type: 'sec1', format: 'pem' }).toString()
}

/** The archive formats of a release that this machine can create. */
const archiveKinds = [...(Bun.which('xz') ? ['tar.xz'] : []), 'tar.zst', 'tar.gz']

async function released(path: string) {
  const file = path.slice(path.lastIndexOf('/') + 1)
  return { file, bytes: Bun.file(path).size, sha256: await sha256OfFile(path) }
}

function served(
  folder: string,
  { ed25519, p256 }: Record<keyof SigningKeys, string>,
  version: string,
): ReleaseServer {
  const asked: string[] = []
  const server = serveLocal(async ({ url }) => {
    const { pathname } = new URL(url)
    asked.push(pathname)
    const found = new RegExp(`^/(?:latest/download|download/v${version})/([^/]+)$`).exec(pathname)
    const name = found?.[1] ?? ''
    const other = await self.answer?.(name)
    if (other) return other
    const file = Bun.file(join(folder, name))
    return name && (await file.exists()) ? new Response(file) : new Response('', { status: 404 })
  })
  const self: ReleaseServer = {
    base: server.url.origin,
    publicKey: publicKeyOf(ed25519),
    secretKey: ed25519,
    publicKeyP256: publicKeyOfP256(p256),
    folder,
    asked,
    answer: null,
    [Symbol.dispose]: () => void server.stop(true),
  }
  return self
}
