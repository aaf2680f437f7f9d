import type { z } from 'zod'
import identity from '../../../packaging/identity.json'
import { messageOf, OgError } from '../../platform/error.ts'
import { sha256 } from '../../platform/hash.ts'
import { parsePublicKey, verifyMinisign } from '../../platform/minisign.ts'
import type { PublishedRelease, ReleasedFile } from '../../platform/published.ts'
import { trimEndCharacters } from '../../platform/text/trim.ts'
import { bodyPieces, fetchWithRetry, printableUrl } from '../../platform/web/http.ts'
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Environment } from '../../config/paths.ts'

type Publisher = { releases: string; publicKey: string }

export function findPublisher(env: Environment): Publisher {
  const releases = trimEndCharacters(env.OG_UPDATE_URL || identity.releases, '/')
  const publicKey = env.OG_UPDATE_KEY || identity.publicKey
  if (!/^https?:\/\/[^/]/.test(releases)) {
    throw new OgError('Cannot look for releases: this build has no release URL', {
      hint: 'set OG_UPDATE_URL to the address of the releases',
    })
  }
  if (publicKey !== '') return { releases, publicKey }
  throw new OgError('Cannot check releases: this build has no public key for them', {
    hint: 'set OG_UPDATE_KEY to the minisign public key of the publisher',
  })
}

export async function fetchRelease(
  { releases, publicKey }: Publisher,
  version: string | null,
): Promise<{ release: PublishedRelease; folder: string }> {
  const folder =
    version === null ? `${releases}/latest/download` : `${releases}/download/v${version}`
  const key = parsePublicKey(publicKey)
  const [sums, signature, text] = await Promise.all(
    ['SHA256SUMS', 'SHA256SUMS.minisig', 'release.json'].map((name) => fetchAsset(folder, name)),
  )
  verifyMinisign(Buffer.from(sums!), signature!, key)
  if (!sums!.split('\n').includes(`${sha256(text!)}  release.json`)) {
    throw new OgError('Cannot trust release.json: it does not match its signature')
  }
  const release = await parseRelease(text!)
  if (version === null || release.version === version) return { release, folder }
  throw new OgError(`Cannot use ${printableUrl(folder)}: it contains version ${release.version}`)
}

export function chooseArchive(
  { targets, missing, version }: PublishedRelease,
  target: string,
): { archive: ReleasedFile; executable: ReleasedFile } {
  const release = targets[target]
  const [archive] = ['zst', 'gz'].flatMap(
    (kind) =>
      release?.archives.filter(({ file }) =>
        new RegExp(`^[\\w.+-]+\\.tar\\.${kind}$`).test(file),
      ) ?? [],
  )
  if (release === undefined || archive === undefined) {
    const why = missing[target] ? `: ${missing[target]}` : ''
    throw new OgError(`Cannot upgrade: og ${version} was not built for ${target}${why}`)
  }
  if (release.trial === null) return { archive, executable: release.executable }
  throw new OgError(`Cannot upgrade: og ${version} for ${target} is a trial (${release.trial})`)
}

async function parseRelease(text: string): Promise<PublishedRelease> {
  const { publishedRelease } = await import('../../platform/published.ts')
  const hint = 'install a newer og, which may be able to read it'
  try {
    const release = publishedRelease.safeParse(JSON.parse(text))
    if (release.success) return release.data
    const [{ path, message }] = release.error.issues as [z.core.$ZodIssue]
    throw new Error(`${path.join('.') || 'the whole'}: ${message}`)
  } catch (cause) {
    throw new OgError(`Cannot read release.json: ${messageOf(cause)}`, { hint, cause })
  }
}

/** These files have a few KB. A larger response is truncated. */
const mostBytes = 4e6

function fetchAsset(folder: string, name: string): Promise<string> {
  const url = `${folder}/${name}`
  return fetchWithRetry(url, { attempts: 3 }, async (response) => {
    if (!response.ok) {
      const why = `the server answers ${response.status}`
      throw new OgError(`Cannot fetch "${printableUrl(url)}": ${why}`, {
        hint: 'check the version, and OG_UPDATE_URL',
      })
    }
    const pieces = []
    let bytes = 0
    for await (const piece of bodyPieces(response, { url })) {
      bytes += piece.length
      if (bytes > mostBytes) {
        throw new OgError(`Cannot fetch "${printableUrl(url)}": it is over ${mostBytes / 1e6} MB`)
      }
      pieces.push(piece)
    }
    return Buffer.concat(pieces).toString()
  })
}

export type Installation = { path: string; previous: string }

export function installationAt(path: string): Installation {
  const ending = path.endsWith('.exe') ? '.exe' : ''
  return { path, previous: join(dirname(path), `${basename(path, ending)}.previous${ending}`) }
}

export function ownerCommand(path: string, exists = existsSync): string | null {
  const place = path.replaceAll('\\', '/')
  const { name, package: npmName } = identity
  for (const [part, command] of [
    ['/node_modules/', `npm install -g ${npmName}@latest`],
    ['/Cellar/', `brew upgrade ${name}`],
    ['/scoop/apps/', `scoop update ${name}`],
    ['/WinGet/Packages/', `winget upgrade ${name}`],
    ['/nix/store/', `nix profile upgrade ${name}`],
  ] as const) {
    if (place.includes(part)) return command
  }
  // Only packages install into these folders. Manual copies belong in /usr/local/bin.
  if (!/^\/(usr\/)?bin\//.test(place)) return null
  if (exists(`/var/lib/dpkg/info/${name}.list`)) return `sudo apt install --only-upgrade ${name}`
  if (exists('/var/lib/pacman')) return `sudo pacman -S ${name}`
  return `sudo dnf upgrade ${name}`
}
