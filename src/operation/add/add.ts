import type { AddRequest, AddResult } from '../../library/library.ts'
import { sourceCommand } from '../../library/sources/add-command.ts'
import { toListedSource, saveSource } from '../../library/sources/save-source.ts'
import { userPaths } from '../../config/paths.ts'
import type { Og } from '../../open.ts'
import type { Reach } from '../../platform/reach.ts'
import type { SourceChoice } from '../../source/choice/choice.ts'
import type { Selection } from '../../source/select/select.ts'
import type { ResolvedSource } from '../../source/source.ts'
import { OgError } from '../../platform/error.ts'
import { displaySource } from '../../store/source.ts'
import { resultJson, type Note, type Answer } from '../note.ts'
import { operation } from '../operation.ts'
import { lockTimeoutMs, addFields, type AddInput } from './add-fields.ts'
import { offerPackage } from './listed-source.ts'
import {
  chooseInputSource,
  withNameFromSource,
  unusedFields,
  type ChoosingContext,
} from './choose-source.ts'
import {
  chooseFreeName,
  versionsFromOtherSources,
  labelToKeep,
  confirmReplacement,
  versionToReplace,
  replacementText,
  type VersionReplacement,
} from './other-source.ts'

export type AddContext = ChoosingContext & {
  openOg(reach: Reach | null): Promise<Og>
  replacesUnasked: boolean
  /** Called immediately for each note because an add can take minutes. */
  onNote(note: Note): void
  onPlan(plan: AddPlan): Promise<boolean>
  onProgress?: AddRequest['onProgress']
}

export type AddPlan = Pick<SourceChoice, 'source' | 'how' | 'rejected' | 'incomplete'> & {
  library: string
  version: string | null
  label: string | undefined
  replaced: VersionReplacement | null
  input: AddInput
  resolved: ResolvedSource | null
}

export type DryRunPlan = Omit<AddPlan, 'version' | 'label' | 'resolved' | 'input'> & {
  version: string
  ref: string | null
  commit: string | null
  /** The files to read, or null if they are known only after reading. */
  selection: Selection | null
}

/** The outcome: `indexed`, only planned, or stopped by `onPlan` or the user (`isDeclined`). */
export type AddOutcome =
  | { kind: 'indexed'; result: AddResult }
  | { kind: 'planned'; plan: DryRunPlan }
  | { kind: 'stopped'; isDeclined: boolean }

export const add = operation({
  name: 'add',
  summary: 'index or update the documentation of a library',
  input: addFields,
  async run(context: AddContext, input): Promise<Answer<AddOutcome>> {
    const notes: Note[] = []
    const tell = (note: Note) => {
      notes.push(note)
      context.onNote(note)
    }
    const namedInput = withNameFromSource(context, input)
    const choice = await chooseInputSource(context, namedInput)
    for (const field of unusedFields(namedInput, choice.source))
      tell({ kind: 'unused-field', field })
    const reach = choice.reach ?? context.config.reach
    await using og = await context.openOg(reach)
    const offer = async (error: unknown) => {
      const isListed = namedInput.source === null && choice.source.kind === 'git_repo'
      const isDead = error instanceof OgError && error.code === 'unreachable'
      if (!isListed || !isDead || reach !== null) throw error
      throw await offerPackage(error, namedInput.library, context.surroundings)
    }
    const plan = await planOf(context, og, { input, namedInput, choice, reach }).catch(offer)
    const { library, how, source, replaced, resolved } = plan
    if (input.dry_run && resolved !== null) {
      const { sourceSelection } = await import('../../source/pages.ts')
      const selection = await sourceSelection(resolved, { reach, signal: context.signal })
      return { value: { kind: 'planned', plan: { ...plan, ...resolved, selection } }, notes }
    }
    const stopped = (isDeclined: boolean) =>
      ({ value: { kind: 'stopped', isDeclined }, notes }) as const
    const chosen = how ?? (library === input.library ? null : displaySource(source))
    if (chosen !== null) tell({ kind: 'source-chosen', library, how: chosen })
    const yes = context.replacesUnasked
    if (replaced && !(await confirmReplacement(context.dialog, { replaced, yes })))
      return stopped(true)
    if (!(await context.onPlan(plan))) return stopped(false)
    const result = await og.add(requestOf(context, plan, input)).catch(offer)
    // Send this note only now, because a failed add replaces nothing.
    if (replaced !== null) tell({ kind: 'replaced', ...replaced })
    if (source.kind === 'site' && result.pages === 1) {
      tell({ kind: 'single-page', library, url: source.url })
    }
    if (namedInput.source !== null) await rememberSource(context, og, { plan, result, tell })
    return { value: { kind: 'indexed', result }, notes }
  },
  json({ value, notes }) {
    if (value.kind === 'indexed') return resultJson({ value: value.result, notes })
    return value.kind === 'planned' ? dryJson(value.plan) : null
  },
})

type PlanRequest = {
  input: AddInput
  namedInput: AddInput
  choice: SourceChoice & { listName?: string }
  reach: Reach | null
}

async function planOf(
  { dialog }: AddContext,
  og: Og,
  { input, namedInput, choice, reach }: PlanRequest,
): Promise<AddPlan> {
  const { source, how, rejected, incomplete, version = namedInput.version, listName } = choice
  const all = await og.list()
  const indexed = namedInput.source === null ? [] : all
  const names = [namedInput.library, `${namedInput.library}@${namedInput.version}`]
  const isNamed = input.as !== null || names.includes(input.library)
  const library = await chooseFreeName(dialog, indexed, {
    argument: input.library,
    library: listName ?? namedInput.library,
    source,
    isNamed,
  })
  const label = labelToKeep(all, { library, ...choice })
  const others = versionsFromOtherSources(indexed, { library, source })
  const isNews = others.length > 0 || input.dry_run
  const resolved = isNews
    ? await (await import('../../source/pages.ts')).resolveSource(source, {
        version,
        today: new Date(),
        reach,
      })
    : null
  const labelResolved = resolved && { ...resolved, version: label ?? resolved.version }
  const other = labelResolved && versionToReplace(others, labelResolved)
  return {
    library,
    version,
    source,
    how,
    rejected,
    label,
    input: plannedInput({ input, namedInput, library }),
    resolved: labelResolved,
    replaced: other && replacementText(other, source),
    ...(incomplete && { incomplete }),
  }
}

function plannedInput({
  input,
  namedInput,
  library,
}: Pick<PlanRequest, 'input' | 'namedInput'> & { library: string }): AddInput {
  const isSourceAsName = input.source === null && namedInput.source !== null
  if (!isSourceAsName) return { ...namedInput, library }
  return library === namedInput.library ? input : { ...input, as: library }
}

function requestOf(
  { onProgress, signal }: AddContext,
  { library, version, source, label, incomplete }: AddPlan,
  input: AddInput,
): AddRequest {
  return {
    library,
    version,
    source,
    force: input.force,
    minHealth: input.min_health,
    lockTimeoutMs: lockTimeoutMs(input),
    ...(label !== undefined && { label }),
    ...(incomplete && { incomplete }),
    ...(onProgress && { onProgress }),
    ...(signal && { signal }),
  }
}

async function rememberSource(
  { config, surroundings: { env, cwd, home } }: AddContext,
  og: Og,
  { plan, result, tell }: { plan: AddPlan; result: AddResult; tell(note: Note): void },
): Promise<void> {
  // An agent's source is not stored, because sources in the user's list have more rights.
  if (!config.sources.autoAddLocal || config.reach !== null) return
  const { library } = plan
  const added = (await og.list()).find(
    (one) => one.library === result.library && one.version === result.version,
  )
  const source = added && toListedSource(plan.incomplete?.intended ?? added.source)
  if (!source) return
  const lists = userPaths(env).lists()
  const { paths, problems } = await saveSource({ library, source, cwd, home, lists })
  for (const path of paths) tell({ kind: 'source-saved', library, path })
  for (const { message } of problems) tell({ kind: 'degraded', reason: message })
}

export function plannedCommand({ library, version, ...live }: DryRunPlan): string {
  return sourceCommand({ library, version, live })
}

function dryJson(plan: DryRunPlan) {
  const { library, version, source, commit, how, rejected, replaced, incomplete } = plan
  const { selection } = plan
  return {
    library,
    version,
    source,
    commit,
    found: how,
    passed: rejected,
    replaces: replaced?.label ?? null,
    incomplete: incomplete?.reason ?? null,
    ...(selection && {
      files: selection.chosen.length,
      skipped: selection.skipped,
      ignored: selection.ignored,
    }),
    command: plannedCommand(plan),
  }
}
