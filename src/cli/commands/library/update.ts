import { noteError } from '../../answer/notes.ts'
import { loadConfig } from '../../../config/load.ts'
import { userHome, userPaths } from '../../../config/paths.ts'
import type { UpdateOutcome, UpdateFromPack } from '../../../library/add/update.ts'
import { update as updateOperation } from '../../../operation/add/update.ts'
import { lockTimeoutMs } from '../../../operation/add/add-fields.ts'
import { jsonText } from '../../../platform/json.ts'
import { renderTotal, renderUpdated } from '../../answer/summary.ts'
import { command, option } from '../../command.ts'
import type { Context } from '../../context.ts'
import { fieldOptions, publishOptionForms } from '../../operation-options.ts'
import { showProgress } from '../../progress.ts'
import type { Terminal } from '../../terminal.ts'
import type { AddRequest } from '../../../library/library.ts'
import type { RegistryIndex } from '../../../library/registry/index-format.ts'
import type { Og } from '../../../open.ts'
import { once } from '../../../platform/concurrency.ts'
import { registryReadingOptions } from '../registry/registry.ts'

const fields = fieldOptions(updateOperation.input, {
  all: {},
  version: { short: 'v', placeholder: 'VERSION', suggest: 'version' },
  source: { short: 's', placeholder: 'SOURCE' },
  force: {},
  ...publishOptionForms,
})

export const update = command({
  name: 'update',
  summary: updateOperation.summary,
  positionals: {
    library: { doc: updateOperation.input.library.doc, optional: true, suggest: 'library' },
  },
  options: {
    ...fields.options,
    yes: option.flag('accepted for compatibility with openground; og never asks here', {
      short: 'y',
      hidden: true,
    }),
    json: option.flag('print a JSON object'),
  },
  async run(context, { library, json, ...options }) {
    const { terminal, env } = context
    const input = { library, ...fields.input(options) }
    const config = await loadConfig(env)
    await using og = await context.openOg(config, { needsBucket: true })
    using progress = showProgress(terminal, { label: library ?? 'update' })
    const signal = context.interruption()
    const adding = { minHealth: input.min_health, lockTimeoutMs: lockTimeoutMs(input), signal }
    const answer = await updateOperation.run(
      {
        og,
        config,
        surroundings: { env, cwd: process.cwd(), home: userHome(env) },
        dialog: terminal,
        newerPack: newerPacks(context, og, adding),
        onOutcome: outcomePrinter(terminal, json),
        onProgress: progress.report,
        signal,
      },
      input,
    )
    progress[Symbol.dispose]()
    const result = json ? updateOperation.json(answer) : null
    return await printOutcomes(context, answer.value, { json: result, all: options.all })
  },
})

/** Prints each outcome immediately, unless all outcomes are printed as JSON at the end. */
export function outcomePrinter(terminal: Pick<Terminal, 'write'>, json: boolean) {
  return async ({ result }: UpdateOutcome): Promise<void> => {
    if (!json && result !== null) await terminal.write(renderUpdated(result))
  }
}

/**
 * Prints the failures, then the JSON or the total. If only one library version was updated, throws
 * its error instead of printing it. @returns the exit code
 */
export async function printOutcomes(
  { terminal }: Context,
  outcomes: readonly UpdateOutcome[],
  { json, all }: { json: object | null; all: boolean },
): Promise<number> {
  const failures = outcomes.filter((outcome) => outcome.error !== null)
  if (!all && outcomes.length === 1 && failures.length === 1) throw failures[0]!.error
  for (const { library, version, error } of failures) {
    noteError(terminal, error, `${library} ${version}`)
  }
  if (json !== null) await terminal.write(jsonText(json))
  else if (outcomes.length === 0) terminal.note('plain', 'No libraries found.')
  else if (outcomes.length > 1) await terminal.write(renderTotal(outcomes))
  const isWhole = outcomes.every(({ result }) => result?.incomplete === null)
  return isWhole ? 0 : 1
}

type InstallOptions = Pick<AddRequest, 'minHealth' | 'lockTimeoutMs' | 'onProgress' | 'signal'>

/** Updates a library version from a known registry to the newest pack of that registry. */
export function newerPacks(context: Context, og: Og, adding: InstallOptions): UpdateFromPack {
  const read = new Map<string, RegistryIndex>()
  const registries = once(async () => {
    const { readRegistries } = await import('../../../library/registry/known-registries.ts')
    return await readRegistries(userPaths(context.env).lists())
  })
  return async ({ library, version, place }) => {
    const { choosePack } = await import('../../../library/registry/read-registry.ts')
    const { registryFileAddress, readRegistry } = await import(
      '../../../library/registry/read-registry.ts'
    )
    const all = await registries()
    const registry = all.find((it) => place.startsWith(registryFileAddress(it, '-').slice(0, -1)))
    if (registry === undefined) return null
    const index =
      read.get(registry.url) ??
      (await readRegistry(registry, await registryReadingOptions(context)))
    read.set(registry.url, index)
    // The library may have a different name in the index of og than in the registry.
    const before = index.packs.find(({ path }) => registryFileAddress(registry, path) === place)
    const pack = choosePack(index, { library: before?.library ?? library, version })
    if (pack === null || pack.version !== version) return null
    const path = registryFileAddress(registry, pack.path)
    return await og.packs.add({ ...adding, path, sha256: pack.manifest, library })
  }
}
