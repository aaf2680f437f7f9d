import { loadMemoryConfig } from '../../../config/memory.ts'
import { expandPath } from '../../../config/paths.ts'
import type { Captured } from '../../../memory/capture/capture.ts'
import type { HookCall } from '../../../memory/capture/session-event.ts'
import type { InboxNote } from '../../../memory/capture/inbox.ts'
import type { Writer } from '../../../memory/write/write-lock.ts'
import { decideInbox, listInbox } from '../../../operation/memory/upkeep.ts'
import { fullMessageOf, OgError } from '../../../platform/error.ts'
import { formatCount } from '../../../platform/text/count.ts'
import { command, option } from '../../command.ts'
import type { Context } from '../../context.ts'
import { printOutcome } from '../../answer/notes.ts'
import {
  memoryFlags,
  openSelectedMemory,
  type MemoryOptionValues,
  memoryOptions,
  memoryPlaceOptions,
} from '../../memory.ts'

/** Maximum input size, more than a hook sends. */
const maxInput = 4 * 1024 * 1024

const capture = command({
  name: 'memory capture',
  summary: 'take notes of a session of a coding agent, for review',
  options: {
    client: option.text('NAME', 'the agent, for the source of the notes'),
    transcript: option.text('FILE', 'read this transcript instead of the input of a hook'),
    ...memoryPlaceOptions,
  },
  async run(context, { client, transcript, ...options }) {
    try {
      const call = await hookCall(context, { client, transcript })
      if (call.event === 'start') await printStart(context, options, call)
      else {
        const captured = await takeNotes(context, options, call)
        // Agents show the stderr of their hooks, so notes are printed only for people.
        if (transcript !== null) reportNotes(context, captured)
      }
      return 0
    } catch (error) {
      context.terminal.note('error', fullMessageOf(error))
      return 1
    }
  },
})

async function hookCall(
  { env, terminal }: Context,
  { client, transcript }: { client: string | null; transcript: string | null },
): Promise<HookCall> {
  const folder = process.cwd()
  const name = client ?? 'agent'
  if (transcript !== null) {
    const path = expandPath(transcript, env)
    if (!(await Bun.file(path).exists())) {
      throw new OgError(`Cannot read ${path}: there is no such file`)
    }
    const session = path.replace(/^.*[/\\]/, '').replace(/\.jsonl?$/, '')
    const { parseHookCall } = await import('../../../memory/capture/session-event.ts')
    const input = { hook_event_name: 'SessionEnd', session_id: session, transcript_path: path }
    return parseHookCall(JSON.stringify(input), name, folder)
  }
  const input = await terminal.input()
  if (input.length > maxInput) throw new OgError('Cannot capture: the input is above 4 MB')
  const { parseHookCall } = await import('../../../memory/capture/session-event.ts')
  return parseHookCall(input, name, folder)
}

/** Opens the files without the index, which takes longer to open than a hook may run. */
async function openFiles(context: Context, options: MemoryOptionValues, { folder }: HookCall) {
  const flags = { ...memoryFlags(context, options), folder }
  const config = await loadMemoryConfig(context.env, flags)
  const { openWorkspace } = await import('../../../memory/workspace.ts')
  const { root, workspace: name, customFiles, settings, project } = config
  const workspace = await openWorkspace({ root, name, customFiles })
  const user = project && (await openWorkspace({ root, name: project.userWorkspace }))
  return { workspace, user, settings, acceptsAll: config.captureAcceptsAll }
}

async function takeNotes(
  context: Context,
  options: MemoryOptionValues,
  call: HookCall,
): Promise<Captured> {
  const { workspace, acceptsAll } = await openFiles(context, options, call)
  const { hasEntryInFile } = await import('../../../memory/memory-files.ts')
  const writer: Writer = {
    workspace,
    clock: () => new Date(),
    lockTimeoutMs: 5_000,
    // The next use of the index detects the new text, as after a manual edit.
    onWritten: () => {},
    compare: async ({ file, body }) => ({
      isDuplicate: file !== null && (await hasEntryInFile(workspace, file, body)),
      conflicts: [],
    }),
    settled: null,
  }
  const { capture: captureNotes } = await import('../../../memory/capture/capture.ts')
  return captureNotes(writer, call, { acceptsAll })
}

function reportNotes({ terminal }: Context, { added, rejected }: Captured): void {
  terminal.note('plain', `Found ${formatCount(added, 'new note')}: og memory inbox`)
  if (rejected > 0) {
    terminal.note('warning', `${formatCount(rejected, 'note')} left out: the inbox is full`)
  }
}

async function printStart(
  context: Context,
  options: MemoryOptionValues,
  call: HookCall,
): Promise<void> {
  const { workspace, user, settings } = await openFiles(context, options, call)
  const { isCreated } = await import('../../../memory/workspace.ts')
  if (!isCreated(workspace) && (user === null || !isCreated(user))) return
  const { bootstrap } = await import('../../../memory/bootstrap/bootstrap.ts')
  const { readInbox } = await import('../../../memory/capture/inbox.ts')
  const request = { user, now: new Date(), toolUsage: null, relevant: [] }
  const { text } = await bootstrap(workspace, { settings: settings.bootstrap, ...request })
  const waiting = (await readInbox(workspace)).length
  const inbox = `${formatCount(waiting, 'captured note')} to review: og memory inbox`
  const output =
    call.client === 'cursor'
      ? { additional_context: text }
      : {
          hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: text },
          ...(waiting > 0 && { systemMessage: inbox }),
        }
  await context.terminal.write(`${JSON.stringify(output)}\n`)
}

const inbox = command({
  name: 'memory inbox',
  summary: listInbox.summary,
  positionals: {
    action: {
      doc: 'what to do with the notes',
      choices: ['accept', 'drop', 'edit', 'merge'],
      optional: true,
    },
    ids: { doc: 'ids of notes, or their beginnings', variadic: true, optional: true },
  },
  options: {
    all: option.flag(decideInbox.input.all.doc),
    text: option.text('TEXT', decideInbox.input.text.doc),
    ...memoryOptions,
  },
  async run(context, { action, ids, all, text, json, ...options }) {
    await using memory = await openSelectedMemory(context, options)
    if (action === null) {
      const outcome = await listInbox.run(memory, {})
      await printOutcome(context, outcome, json ? listInbox.json : ({ value }) => listed(value))
      return outcome.value.length > 0 ? 0 : 1
    }
    const outcome = await decideInbox.run(memory, { action, ids, all, text })
    await printOutcome(
      context,
      outcome,
      json
        ? decideInbox.json
        : ({ value }) => {
            const lines = value.accepted.map(({ id, file }) => `Accepted ${id} into ${file}.\n`)
            const dropped = value.dropped.map((id) => `Dropped ${id}.\n`)
            return `${[...lines, ...dropped].join('')}${formatCount(value.left, 'note')} left.\n`
          },
    )
    return 0
  },
})

function listed(notes: readonly InboxNote[]): string {
  if (notes.length === 0) return 'The inbox is empty.\n'
  return notes
    .map(({ id, kind, to, text, client, session, turn, at }) => {
      const from = `${client} ${session.slice(0, 8)}, turn ${turn}, ${at}`
      return `${id}  ${kind} for ${to} (${from})\n    ${text.replaceAll('\n', '\n    ')}\n`
    })
    .join('')
}

export const memoryCaptureCommands = [capture, inbox]
