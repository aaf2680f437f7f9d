import { field } from './field.ts'
import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { expandPath, type Environment } from '../config/paths.ts'
import type { AddResult, RunRequest } from '../library/library.ts'
import type { CheckedPack } from '../library/pack/check-pack.ts'
import { isRemoteAddress } from '../library/pack/packed-source.ts'
import { vectorFormats, type VectorFormat } from '../library/pack/packed-embeddings.ts'
import type { PackRequest } from '../library/pack/packs.ts'
import type { WrittenPack } from '../library/pack/write-pack.ts'
import type { Og } from '../open.ts'
import { messageOf, OgError } from '../platform/error.ts'
import { displaySource } from '../store/source.ts'
import { splitVersion } from '../version/package-name.ts'
import type { CheckedInput } from './field.ts'
import { resultJson, type Answer } from './note.ts'
import { operation, type Dialog } from './operation.ts'
import { lockTimeoutMs, publishFields } from './add/add-fields.ts'

type WriteContext = { og: Pick<Og, 'list' | 'packs'>; signal?: AbortSignal }

const contentFields = {
  vectors: field.text('f32, f16, int8 or none (default: f16)', { choices: vectorFormats }),
  license: field.text(
    'the licence; "source" reads it from the folder or repository now, "none" omits it',
  ),
} as const

export const writePack = operation({
  name: 'pack',
  summary: 'write an indexed library version to a file for other machines',
  input: {
    library: field.text('library, or LIBRARY@VERSION', { required: true }),
    output: field.text('file or folder to write to'),
    ...contentFields,
  },
  async run({ og, signal }: WriteContext, input): Promise<Answer<WrittenPack & { path: string }>> {
    const { library, version } = splitVersion({ library: input.library, version: null })
    const content = await contentOf(input)
    const options = { library: library!, version, to: input.output, ...content }
    const pack = await og.packs.write({ ...options, ...(signal && { signal }) })
    const isUnlicensed = input.license === null && !hasLicense(pack.manifest)
    return { value: pack, notes: isUnlicensed ? [{ kind: 'no-license' }] : [] }
  },
  json: ({ value: { path, bytes, manifest } }) => ({ path, bytes, ...manifestJson(manifest) }),
})

type PackFile = { path: string; bytes: number; library: string; version: string }

type PackAllContext = WriteContext & {
  /**
   * Called for each version that cannot be packed. If the caller named one library, the operation
   * throws the error instead.
   */
  onFailure(error: OgError): void
}

export const writePacks = operation({
  name: 'pack --all',
  summary: 'write every library version to a separate file',
  input: {
    library: field.text('only this library, or LIBRARY@VERSION'),
    folder: field.text('folder to write to', { required: true }),
    ...contentFields,
  },
  async run(
    { og, signal, onFailure }: PackAllContext,
    input,
  ): Promise<Answer<{ packs: PackFile[]; failed: number }>> {
    const { library, folder } = input
    // Load pack readers and writers only here, because no other command needs them at its start.
    const { unusedPackName, packFileName } = await import('../library/pack/packs.ts')
    await createFolder(folder)
    const content = await contentOf(input)
    const one = library === null ? null : splitVersion({ library, version: null })
    const chosen =
      one === null ? await og.list() : [{ library: one.library!, version: one.version }]
    if (chosen.length === 0) throw new OgError('No libraries found.', { hint: 'og add NAME' })
    const packs: PackFile[] = []
    let failed = 0
    for (const { library, version } of chosen) {
      const taken = packs.map(({ path }) => basename(path))
      const name = version === null ? '' : unusedPackName(taken, packFileName({ library, version }))
      const to = join(folder, name)
      const request = { library, version, to, ...content, ...(signal && { signal }) }
      try {
        const { path, bytes, manifest } = await og.packs.write(request)
        packs.push({ path, bytes, library: manifest.library, version: manifest.version })
      } catch (error) {
        if (!(error instanceof OgError) || one !== null) throw error
        signal?.throwIfAborted()
        onFailure(error)
        failed++
      }
    }
    return { value: { packs, failed }, notes: [] }
  },
  json: ({ value }) => value,
})

export const checkPack = operation({
  name: 'pack --check',
  summary: 'check a pack',
  input: { path: field.text('the pack', { required: true }) },
  async run(_context: object, { path }): Promise<Answer<CheckedPack>> {
    const { checkPackFile } = await import('../library/pack/check-pack.ts')
    return { value: checkPackFile(path), notes: [] }
  },
  json({ value: { manifest, sha256 } }) {
    const { format, title, source, ref, commit, indexedAt, fingerprint } = manifest
    return {
      ...manifestJson(manifest),
      format,
      sha256,
      title,
      source: displaySource(source),
      ref,
      commit,
      indexed_at: indexedAt,
      model: fingerprint?.model ?? null,
    }
  },
})

type AddPackContext = Pick<RunRequest, 'onProgress' | 'signal'> & {
  og: Pick<Og, 'packs'>
  config: Pick<Config, 'reach'>
  env: Environment
}

/** Adds a pack that the user trusts (`checkTrust`) or that a signed registry lists. */
export const addPack = operation({
  name: 'add PACK',
  summary: 'add a library version from a pack',
  input: {
    path: field.text('a file, or a URL', { required: true }),
    as: field.text('name of the library (default: the name in the pack)'),
    sha256: field.text('hash of its manifest, if a registry lists it'),
    ...publishFields,
  },
  async run(context: AddPackContext, input): Promise<Answer<AddResult>> {
    const { og, onProgress, signal } = context
    if (input.sha256 === null) refuseAgentPacks(context.config)
    const result = await og.packs.add({
      path: resolvePackPath(input.path, context.env),
      library: input.as,
      minHealth: input.min_health,
      lockTimeoutMs: lockTimeoutMs(input),
      ...(input.sha256 !== null && { sha256: input.sha256 }),
      ...(onProgress && { onProgress }),
      ...(signal && { signal }),
    })
    return { value: result, notes: [] }
  },
  json: resultJson<AddResult>,
})

/** True if the argument is a pack instead of a library name. */
export function looksLikePack(text: string): boolean {
  return /\.ogpack(?:[?#].*)?$/i.test(text)
}

/** Throws for agents, which cannot add unsigned packs. */
export function refuseAgentPacks({ reach }: Pick<Config, 'reach'>): void {
  if (reach !== null) throw new OgError('Cannot add a pack for an agent: it is not signed')
}

/**
 * Asks whether to trust unsigned packs. Agents read the text of strangers in them, so an option
 * that answers all questions does not count as an answer.
 * @throws OgError if the user does not trust them or cannot be asked
 */
export async function checkTrust(dialog: Dialog, packs: string): Promise<void> {
  const what = `${packs}: it is not signed`
  const hint = '--trust adds it anyway: its pages contain whatever its maker wrote'
  if (!dialog.canAsk) throw new OgError(`Cannot trust ${what}`, { hint })
  const question = `Trust ${what}. Its pages contain whatever its maker wrote. Add it?`
  if (await dialog.ask(question)) return
  throw new OgError(`Cannot add ${what}; nothing was changed`, { hint })
}

export function resolvePackPath(address: string, env: Environment): string {
  if (isRemoteAddress(address)) return address
  const path = /^file:/i.test(address)
    ? Bun.fileURLToPath(address)
    : resolve(expandPath(address, env))
  if (existsSync(path)) return path
  throw new OgError(`Cannot use pack "${address}": no such file`)
}

async function createFolder(path: string): Promise<void> {
  const { mkdir } = await import('node:fs/promises')
  await mkdir(path, { recursive: true }).catch((cause: Error) => {
    throw new OgError(`Cannot create folder "${path}": ${messageOf(cause)}`, { cause })
  })
}

type Content = { vectors: VectorFormat; license: PackRequest['license'] }

async function contentOf(input: CheckedInput<typeof contentFields>): Promise<Content> {
  return { vectors: input.vectors ?? 'f16', license: await licenseNamed(input.license) }
}

async function licenseNamed(text: string | null): Promise<PackRequest['license']> {
  if (text === null) return 'kept'
  if (text === 'none') return null
  if (text === 'source') return text
  const { readLicenseFile } = await import('../library/pack/license.ts')
  return await readLicenseFile(text).catch((cause: Error) => {
    throw new OgError(`Cannot read licence "${text}": ${messageOf(cause)}`, { cause })
  })
}

type Manifest = CheckedPack['manifest']

/** Checks for the text because a licence may have text but no known name. */
export function hasLicense({ members }: Manifest): boolean {
  return members.some(({ kind }) => kind === 'license')
}

function manifestJson({ library, version, pages, chunks, vectors, license }: Manifest) {
  return { library, version, pages, chunks, vectors, license }
}
