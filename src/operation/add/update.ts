import { field } from '../field.ts'
import type {
  ChooseAgain,
  UpdateFromPack,
  UpdateOutcome,
  VersionOutcome,
} from '../../library/add/update.ts'
import type { RunRequest } from '../../library/library.ts'
import { findSource, readSourcesFiles } from '../../library/sources/source-list.ts'
import type { Og } from '../../open.ts'
import { OgError } from '../../platform/error.ts'
import { chooseSource } from '../../source/choice/choice.ts'
import { detectSource } from '../../source/detect.ts'
import { operation } from '../operation.ts'
import { lockFields, lockTimeoutMs, publishFields, addFields } from './add-fields.ts'
import { sourceListPaths, type ChoosingContext } from './choose-source.ts'
import { findKnownSource } from './listed-source.ts'
import type { Answer } from '../note.ts'

type RunContext = {
  /** Called immediately for each outcome because several updates can take minutes. */
  onOutcome(outcome: UpdateOutcome): Promise<void>
  onProgress?: RunRequest['onProgress']
  signal?: AbortSignal
}

type UpdateContext = ChoosingContext &
  RunContext & { og: Pick<Og, 'list' | 'update'>; newerPack: UpdateFromPack }

export const update = operation({
  name: 'update',
  summary: 'update indexed documentation',
  input: {
    library: field.text('name of the library', { maxLength: 200 }),
    all: field.flag('update every version of every library'),
    version: field.text('update only this version (default: all indexed versions)', {
      maxLength: 200,
    }),
    source: field.text('use this source from now on'),
    force: addFields.force,
    ...publishFields,
  },
  async run(context: UpdateContext, input): Promise<Answer<UpdateOutcome[]>> {
    const { library, version, source, all, force, min_health: minHealth } = input
    checkForm({ library, version, source, all })
    const { og, config, surroundings, dialog, newerPack } = context
    const detecting = { docsPaths: [], ...surroundings }
    const detected = source === null ? null : detectSource(source, detecting).source
    if (library !== null) await refuseUnknown(context, library)
    const places = { ...sourceListPaths(context, null), reach: config.reach }
    const outcomes = og.update({
      library,
      version,
      source: detected,
      listed: (name) => findKnownSource(dialog, name, places),
      force,
      newerPack,
      chooseAgain: choiceAgain(context),
      minHealth,
      ...runOptions(context, input),
    })
    return { value: await collect(context, outcomes), notes: [] }
  },
  json: outcomesJson,
})

export const resume = operation({
  name: 'add --resume',
  summary: 'embed the remaining chunks of earlier runs without fetching',
  input: {
    library: field.text('name of the library (default: all incomplete versions)'),
    version: field.text('resume only this version'),
    ...lockFields,
  },
  async run(
    context: RunContext & { og: Pick<Og, 'resume'> },
    input,
  ): Promise<Answer<UpdateOutcome[]>> {
    const { library, version } = input
    const outcomes = context.og.resume({ library, version, ...runOptions(context, input) })
    return { value: await collect(context, outcomes), notes: [] }
  },
  json: outcomesJson,
})

function runOptions({ onProgress, signal }: RunContext, input: { lock_timeout: number | null }) {
  return {
    lockTimeoutMs: lockTimeoutMs(input),
    ...(onProgress && { onProgress }),
    ...(signal && { signal }),
  }
}

async function collect(
  { onOutcome }: RunContext,
  coming: AsyncIterable<UpdateOutcome>,
): Promise<UpdateOutcome[]> {
  const outcomes: UpdateOutcome[] = []
  for await (const outcome of coming) {
    outcomes.push(outcome)
    await onOutcome(outcome)
  }
  return outcomes
}

function choiceAgain({ config: { reach }, surroundings, signal }: UpdateContext): ChooseAgain {
  return (intended, version) =>
    chooseSource(intended, { version, surroundings, reach, ...(signal && { signal }) })
}

type Form = { library: string | null; version: string | null; source: string | null; all: boolean }

function checkForm({ library, version, source, all }: Form): void {
  if (library === null && !all) {
    throw new OgError('Either provide a library name or use --all to update all libraries')
  }
  const other = library ?? (version === null ? null : '--version') ?? (source && '--source')
  if (all && other) throw new OgError(`--all cannot be used with ${other}`)
}

/** Throws if a library is not indexed, with the command that indexes it if a list has it. */
async function refuseUnknown(context: UpdateContext, library: string): Promise<void> {
  const isSame = (one: { library: string }) => one.library.toLowerCase() === library.toLowerCase()
  if ((await context.og.list()).some(isSame)) return
  const entry = findSource((await readSourcesFiles(sourceListPaths(context, null))).files, library)
  if (entry === null) return
  throw new OgError(`Library "${library}" not found: it is not indexed`, {
    hint: `og add ${entry.name} indexes it, from ${entry.file.path}`,
  })
}

export function outcomesJson<R>({ value }: { value: readonly VersionOutcome<R>[] }) {
  return {
    results: value.flatMap(({ result }) => result ?? []),
    failures: value.flatMap(({ library, version, error }) =>
      error === null ? [] : [{ library, version, error: error.message, hint: error.hint ?? null }],
    ),
  }
}
