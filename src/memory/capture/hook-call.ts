import { isRecord, parseJsonOrUndefined } from '../../platform/json.ts'
import { OgError } from '../../platform/error.ts'

export type HookCall = {
  client: string
  /** `other` is any other moment in a session. */
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
 * Parses the JSON that a client passes to its hooks. Its fields have the same names in Claude Code,
 * Codex and Gemini CLI; Cursor calls a session a conversation.
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
    // The session ids become keys of an object, in which some names with "_" are special.
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
