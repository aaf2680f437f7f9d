import { noteError } from '../../answer/notes.ts'
import { loadConfig } from '../../../config/load.ts'
import { expandPath, userPaths } from '../../../config/paths.ts'
import type { CopyOutcome } from '../../../library/copy.ts'
import { OgError } from '../../../platform/error.ts'
import { jsonText } from '../../../platform/json.ts'
import { isRemoteStore } from '../../../store/remote/address.ts'
import { command, option } from '../../command.ts'
import type { Context } from '../../context.ts'
import { lockTimeoutOption } from '../../operation-options.ts'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ListedPack } from '../../../library/registry/read-registry.ts'
import type { KnownRegistry } from '../../../library/registry/known-registries.ts'
import type { Og } from '../../../open.ts'
import { showProgress } from '../../progress.ts'

export const copy = command({
  name: 'copy',
  summary: 'copy the library versions of a store or a registry into a store',
  positionals: {
    source: { doc: 'the store or registry to copy' },
    dest: { doc: 'the store to copy to; created if it does not exist' },
  },
  options: {
    library: option.text('-l LIBRARY', 'copy only this library', { suggest: 'library' }),
    version: option.text('-v VERSION', 'copy only this version'),
    'lock-timeout': lockTimeoutOption,
    json: option.flag('print a JSON array'),
  },
  async run(context, { source, dest, library, version, json, 'lock-timeout': seconds }) {
    const { terminal } = context
    const registry = await findRegistry(context, source)
    await using toOg = await openStore(context, dest)
    const key = library?.toLowerCase() ?? null
    const isWished = (one: { library: string; version: string }) =>
      (key === null || one.library.toLowerCase() === key) &&
      (version === null || one.version === version)
    const wish = { to: toOg, isWished, lockTimeoutMs: seconds * 1000 }
    const outcomes: CopyOutcome[] = []
    const copying =
      registry === null
        ? copyFromStore(context, source, wish)
        : copyRegistry(context, registry, wish)
    for await (const outcome of copying) {
      outcomes.push(outcome)
      const { library, version, status, problem } = outcome
      if (problem) noteError(terminal, problem)
      else if (!json) await terminal.write(`${library} ${version}: ${status}\n`)
    }
    if (json) await terminal.write(jsonText(outcomes.map(outcomeJson)))
    if (outcomes.length === 0) terminal.note('plain', 'Nothing to copy.')
    return outcomes.every(({ problem }) => problem === null) ? 0 : 1
  },
})

async function* copyFromStore(
  context: Context,
  source: string,
  { to: toOg, isWished, lockTimeoutMs }: RegistryCopy,
): AsyncGenerator<CopyOutcome> {
  await using fromOg = await openStore(context, source)
  const [from, to] = [(await fromOg.places()).dbPath, (await toOg.places()).dbPath]
  if (from === to) throw new OgError(`Cannot copy ${source}: source and target are the same`)
  const { checkStoreFolder } = await import('../../../library/copy.ts')
  const { copyStore } = await import('../../../library/copy.ts')
  await checkStoreFolder({ dbPath: from, isStoreNamed: true })
  const signal = context.interruption()
  yield* copyStore({ from, to, lockTimeoutMs, signal, pick: (all) => all.filter(isWished) })
}

async function openStore(context: Context, address: string) {
  const config = await loadConfig(context.env)
  const dbPath = isRemoteStore(address) ? address : expandPath(address, context.env)
  return context.openOg({ ...config, dbPath, isStoreNamed: true }, { needsBucket: true })
}

function outcomeJson({ library, version, status, problem }: CopyOutcome) {
  return { library, version, status, problem: problem?.message ?? null }
}

/**
 * Finds the registry that the argument names by URL or, unless a folder has that name, by name.
 * Returns null if the argument is a store.
 */
export async function findRegistry(
  { env }: Pick<Context, 'env'>,
  address: string,
): Promise<KnownRegistry | null> {
  const { readRegistries } = await import('../../../library/registry/known-registries.ts')
  const registries = await readRegistries(userPaths(env).lists())
  const plain = (url: string) => url.replace(/\/+$/, '')
  return (
    registries.find(({ url }) => plain(url) === plain(address)) ??
    registries.find(({ name }) => name === address && !existsSync(address)) ??
    null
  )
}

type RegistryCopy = {
  to: Og
  isWished(version: { library: string; version: string }): boolean
  lockTimeoutMs: number
}

/**
 * Adds the newest pack of each library version in a registry, one after the other. The signature
 * verifies the index, and the index contains the SHA-256 of each pack. Skips versions that already
 * come from the same pack, so that a repeated command resumes.
 */
async function* copyRegistry(
  context: Context,
  registry: KnownRegistry,
  { to, isWished, lockTimeoutMs }: RegistryCopy,
): AsyncGenerator<CopyOutcome> {
  const { searchPacks } = await import('../../../library/registry/read-registry.ts')
  const { registryFileAddress, readRegistry } = await import(
    '../../../library/registry/read-registry.ts'
  )
  const { readEntries } = await import('../../../store/registry.ts')
  const { dbPath } = await to.places()
  const index = await readRegistry(registry, {
    lists: userPaths(context.env).lists(),
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
    const listed = { registry, pack, place: registryFileAddress(registry, pack.path) }
    const problem = isThere ? null : await addPack(context, to, { ...listed, lockTimeoutMs })
    const status = isThere ? 'unchanged' : problem === null ? 'copied' : 'failed'
    yield { library, version, status, problem }
  }
}

/** @returns the error if adding the pack fails, otherwise null */
async function addPack(
  context: Context,
  to: Og,
  { pack, place, lockTimeoutMs }: ListedPack & { lockTimeoutMs: number },
): Promise<OgError | null> {
  const signal = context.interruption()
  using progress = showProgress(context.terminal, { label: pack.library })
  const { report: onProgress } = progress
  const packFile = {
    path: place,
    sha256: pack.manifest,
    library: pack.library,
    minHealth: null,
    lockTimeoutMs,
  }
  return await to.packs.add({ ...packFile, onProgress, signal }).then(
    () => null,
    (error) => {
      signal.throwIfAborted()
      if (error instanceof OgError) return error
      throw error
    },
  )
}
