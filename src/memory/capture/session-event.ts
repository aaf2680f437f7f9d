import { objectOf, parseJsonOrUndefined, isRecord } from '../../platform/json.ts'
import { OgError } from '../../platform/error.ts'

export type SessionEvent =
  | { kind: 'said'; text: string }
  | { kind: 'ran'; command: string; isFailed: boolean }
  | { kind: 'changed'; file: string }
  | { kind: 'planned'; open: string[] }

/** Commands without a result so far, by the id of the tool call. */
export type PendingCommands = Map<string, string>

const maxLine = 256 * 1024
const maxPending = 40

/**
 * Parses complete lines of a transcript in the JSON lines of Claude Code, Codex or Gemini CLI.
 * Skips unknown lines, because clients change their format without notice.
 */
export function sessionEvents(lines: readonly string[], pending: PendingCommands): SessionEvent[] {
  return lines.flatMap((line) => {
    if (line.length > maxLine || !line.startsWith('{')) return []
    const entry = objectOf(parseJsonOrUndefined(line))
    const events =
      claudeEvents(entry, pending) ?? codexEvents(entry, pending) ?? geminiEvents(entry)
    for (const id of pending.keys()) {
      if (pending.size <= maxPending) break
      pending.delete(id)
    }
    return events
  })
}

type Json = Readonly<Record<string, unknown>>

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.map(objectOf) : [])
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Skips text that the client itself adds to a user message. It begins with a tag. */
function said(text: string): SessionEvent[] {
  return text.trim() === '' || text.trimStart().startsWith('<') ? [] : [{ kind: 'said', text }]
}

function planned(steps: Json[]): SessionEvent {
  const open = steps
    .filter(({ status }) => status !== 'completed')
    .map((step) => textOf(step.content ?? step.step))
  return { kind: 'planned', open: open.filter((step) => step !== '') }
}

function claudeEvents(entry: Json, pending: PendingCommands): SessionEvent[] | null {
  if (entry.type !== 'user' && entry.type !== 'assistant') return null
  if (typeof entry.message !== 'object') return null
  if (entry.isMeta === true || entry.isSidechain === true) return []
  const { content } = objectOf(entry.message)
  if (typeof content === 'string') return entry.type === 'user' ? said(content) : []
  return listOf(content).flatMap((block): SessionEvent[] => {
    if (block.type === 'text') return entry.type === 'user' ? said(textOf(block.text)) : []
    if (block.type === 'tool_result') {
      return finished(pending, textOf(block.tool_use_id), block.is_error === true)
    }
    if (block.type !== 'tool_use') return []
    const input = objectOf(block.input)
    if (block.name === 'Bash') pending.set(textOf(block.id), textOf(input.command))
    if (block.name === 'TodoWrite') return [planned(listOf(input.todos))]
    const edits = ['Edit', 'Write', 'MultiEdit', 'NotebookEdit']
    const file = textOf(input.file_path ?? input.notebook_path)
    return edits.includes(textOf(block.name)) && file !== '' ? [{ kind: 'changed', file }] : []
  })
}

function finished(pending: PendingCommands, id: string, isFailed: boolean): SessionEvent[] {
  const command = pending.get(id)
  pending.delete(id)
  return command === undefined ? [] : [{ kind: 'ran', command, isFailed }]
}

function codexEvents(entry: Json, pending: PendingCommands): SessionEvent[] | null {
  if (entry.type !== 'response_item') return null
  const payload = objectOf(entry.payload)
  const id = textOf(payload.call_id)
  switch (payload.type) {
    case 'message':
      if (payload.role !== 'user') return []
      return listOf(payload.content).flatMap(({ text }) => said(textOf(text)))
    case 'function_call': {
      const call = objectOf(parseJsonOrUndefined(textOf(payload.arguments)))
      if (payload.name === 'update_plan') return [planned(listOf(call.plan))]
      const command = commandOf(call.command ?? call.cmd)
      if (command !== '') pending.set(id, command)
      return []
    }
    case 'function_call_output':
      return finished(pending, id, hasFailed(payload.output))
    case 'custom_tool_call':
      return payload.name === 'apply_patch' ? patched(textOf(payload.input)) : []
    default:
      return []
  }
}

/** A shell command is a string, or a list whose last item is the script. */
function commandOf(command: unknown): string {
  return Array.isArray(command) ? textOf(command.at(-1)) : textOf(command)
}

function hasFailed(output: unknown): boolean {
  const text = typeof output === 'string' ? output : JSON.stringify(output ?? '')
  const code = /exit(?:ed with)?[_ ]code"?:?\s{0,3}(\d{1,3})/i.exec(text.slice(0, 4_000))?.[1]
  return code !== undefined && code !== '0'
}

function patched(patch: string): SessionEvent[] {
  return patch
    .slice(0, maxLine)
    .split('\n')
    .flatMap((line) => /^\*\*\* (?:Update|Add) File: (.{1,500})$/.exec(line)?.[1] ?? [])
    .map((file) => ({ kind: 'changed', file }))
}

function geminiEvents(entry: Json): SessionEvent[] {
  const messages = listOf(objectOf(entry.$set).messages)
  if (messages.length > 0) return messages.flatMap(geminiEvents)
  if (entry.type === 'user') return listOf(entry.content).flatMap(({ text }) => said(textOf(text)))
  if (entry.type !== 'gemini') return []
  return listOf(entry.toolCalls).flatMap(({ name, args, status, result }): SessionEvent[] => {
    const { command, file_path: file } = objectOf(args)
    if (name === 'run_shell_command') {
      const isFailed = status === 'error' || hasFailed(result)
      return [{ kind: 'ran', command: textOf(command), isFailed }]
    }
    const isEdit = name === 'write_file' || name === 'replace'
    return isEdit && textOf(file) !== '' ? [{ kind: 'changed', file: textOf(file) }] : []
  })
}

export type HookCall = {
  client: string
  /** `other` means any other hook. */
  event: 'start' | 'prompt' | 'end' | 'other'
  session: string
  transcript: string | null
  prompt: string | null
  folder: string
}

const events: Record<string, HookCall['event']> = {
  SessionStart: 'start',
  sessionStart: 'start',
  UserPromptSubmit: 'prompt',
  BeforeAgent: 'prompt',
  beforeSubmitPrompt: 'prompt',
  PreCompact: 'end',
  PreCompress: 'end',
  preCompact: 'end',
  SessionEnd: 'end',
  sessionEnd: 'end',
}

/**
 * Parses the JSON that a client passes to its hooks. Claude Code, Codex and Gemini CLI use the same
 * field names; Cursor calls a session a conversation.
 * @throws OgError if it is not a JSON object
 */
export function parseHookCall(json: string, client: string, folder: string): HookCall {
  const input = parseObject(json)
  const text = (name: string) => {
    const value = input[name]
    return typeof value === 'string' && value !== '' ? value : null
  }
  const id = text('session_id') ?? text('conversation_id') ?? 'unknown'
  return {
    client: client.replace(/[^\w.-]+/g, '-').slice(0, 40),
    event: events[text('hook_event_name') ?? ''] ?? 'other',
    // Session ids become object keys. Without `_`, none of them is `__proto__`.
    session: id.replace(/[^A-Za-z0-9.:-]+/g, '-').slice(0, 80),
    transcript: text('transcript_path'),
    prompt: text('prompt'),
    folder: (text('cwd') ?? folder).slice(0, 1_000),
  }
}

function parseObject(json: string): Record<string, unknown> {
  const input = parseJsonOrUndefined(json)
  if (isRecord(input)) return input
  throw new OgError('Cannot capture: the input is not the JSON object that a hook sends', {
    hint: '"og install-mcp --memory --capture" writes hooks that call this command',
  })
}
