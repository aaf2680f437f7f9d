import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { userHome } from '../../../config/paths.ts'
import type { CopyOutcome } from '../../../library/copy.ts'
import type { ListedPack } from '../../../library/registry/choose-pack.ts'
import type { KnownRegistry } from '../../../library/registry/known-registries.ts'
import type { Og } from '../../../open.ts'
import { OgError } from '../../../platform/error.ts'
import type { Context } from '../../context.ts'
import { showProgress } from '../../progress.ts'

/**
 * The registry that the argument names: by its URL, or by its name if no folder has that name. Null
 * means that the argument is a store.
 */
export async function registryNamed(
  { env }: Pick<Context, 'env'>,
  typed: string,
): Promise<KnownRegistry | null> {
  const { readRegistries } = await import('../../../library/registry/known-registries.ts')
  const registries = await readRegistries(userHome(env))
  const plain = (url: string) => url.replace(/\/+$/, '')
  return (
    registries.find(({ url }) => plain(url) === plain(typed)) ??
    registries.find(({ name }) => name === typed && !existsSync(typed)) ??
    null
  )
}

export type RegistryCopy = {
  to: Og
  isWished(version: { library: string; version: string }): boolean
  lockTimeoutMs: number
}

/**
 * Adds the newest pack of each library version of a registry, one by one. The index is verified by
 * its signature, each pack by the SHA-256 in the index. Versions that already come from that pack
 * are skipped, so that the command can resume after a kill.
 */
export async function* copyRegistry(
  context: Context,
  registry: KnownRegistry,
  { to, isWished, lockTimeoutMs }: RegistryCopy,
): AsyncGenerator<CopyOutcome> {
  const { searchPacks } = await import('../../../library/registry/choose-pack.ts')
  const { placeIn, readRegistry } = await import('../../../library/registry/read-registry.ts')
  const { readEntries } = await import('../../../store/registry.ts')
  const { dbPath } = await to.places()
  const index = await readRegistry(registry, {
    home: userHome(context.env),
    folder: join(dbPath, 'registries'),
    signal: context.interruption(),
  })
  for (const pack of searchPacks(index, '').filter(isWished)) {
    context.interruption().throwIfAborted()
    const { library, version, manifest } = pack
    const isThere = (await readEntries(dbPath)).some(
      (entry) =>
        entry.key === library.toLowerCase() &&
        entry.version === version &&
        entry.live.pack?.sha256 === manifest,
    )
    const listed = { registry, pack, place: placeIn(registry, pack.path) }
    const problem = isThere ? null : await addPack(context, to, { ...listed, lockTimeoutMs })
    const status = isThere ? 'unchanged' : problem === null ? 'copied' : 'failed'
    yield { library, version, status, problem }
  }
}

/** @returns the error if the pack cannot be added, else null */
async function addPack(
  context: Context,
  to: Og,
  { pack, place, lockTimeoutMs }: ListedPack & { lockTimeoutMs: number },
): Promise<OgError | null> {
  const signal = context.interruption()
  using progress = showProgress(context.terminal, { label: pack.library })
  const { report: onProgress } = progress
  const named = {
    path: place,
    sha256: pack.manifest,
    library: pack.library,
    minHealth: null,
    lockTimeoutMs,
  }
  return await to.packs.add({ ...named, onProgress, signal }).then(
    () => null,
    (error) => {
      signal.throwIfAborted()
      if (error instanceof OgError) return error
      throw error
    },
  )
}
