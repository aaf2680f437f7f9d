import pluginTemplate from '../../../data/opencode-plugin.txt' with { type: 'text' }
import { join } from 'node:path'
import { isRecord } from '../../platform/json.ts'
import { machinePath, type Client, type LaunchCommand, type Machine } from './client.ts'
import { editText, readSection, type Json } from './edit.ts'
import { changeFile, type ClientSetup, type FileOutcome } from './install.ts'

/** A client's format for commands that run on session events. */
type HookFormat = { user: string; project: string } & (
  | {
      /** The client's names of the events to capture. */
      events: readonly string[]
      /** Returns an entry that runs a shell command on an event. */
      entry(command: string): Json
      empty?: string
      after?: string
    }
  | { plugin(launch: LaunchCommand): string }
)

type JsonHooks = Extract<HookFormat, { events: readonly string[] }>

/** Claude Code, Codex and Gemini CLI group hooks. The unit of `timeout` depends on the client. */
const group = (timeout: number) => (command: string) => ({
  hooks: [{ type: 'command', command, timeout }],
})

const formats: Readonly<Record<string, HookFormat>> = {
  'claude-code': {
    user: 'CLAUDE/settings.json',
    project: '.claude/settings.json',
    events: ['SessionStart', 'UserPromptSubmit', 'PreCompact', 'SessionEnd'],
    entry: group(10),
  },
  codex: {
    user: 'CODEX/hooks.json',
    project: '.codex/hooks.json',
    events: ['SessionStart', 'UserPromptSubmit', 'PreCompact', 'Stop'],
    entry: group(10),
    after: 'Codex runs the hooks once you trust them: /hooks',
  },
  gemini: {
    user: '~/.gemini/settings.json',
    project: '.gemini/settings.json',
    events: ['SessionStart', 'BeforeAgent', 'PreCompress', 'SessionEnd'],
    entry: group(10_000),
  },
  cursor: {
    user: '~/.cursor/hooks.json',
    project: '.cursor/hooks.json',
    events: ['sessionStart', 'beforeSubmitPrompt', 'preCompact', 'sessionEnd'],
    entry: (command) => ({ command }),
    empty: '{\n  "version": 1\n}\n',
  },
  opencode: {
    user: 'CONFIG/opencode/plugins/og-memory.js',
    project: '.opencode/plugins/og-memory.js',
    plugin: opencodePlugin,
  },
}

export const hookClients: readonly string[] = Object.keys(formats)

export type HookOutcome = FileOutcome & { after: string | null }

type HookSetup = Pick<ClientSetup, 'launch' | 'scope' | 'dryRun'> & { saved?: string | null }

/**
 * Adds hooks that run `og memory capture` to a client's settings, or removes them. Keeps other
 * hooks. Returns null if the client does not support hooks. `saved` is an earlier backup from this
 * run, which must not be overwritten.
 * @throws OgError if the file cannot be parsed or written; it is then unchanged
 */
export async function configureHooks(
  client: Client,
  machine: Machine,
  { launch, saved = null, ...wish }: HookSetup,
): Promise<HookOutcome | null> {
  const format = formats[client.name]
  if (format === undefined) return null
  const isUser = wish.scope === 'user'
  const path = isUser ? machinePath(machine, format.user) : join(machine.cwd, format.project)
  const isPlugin = 'plugin' in format
  const plan = (before: string | null) =>
    isPlugin
      ? pluginText(before, launch && format.plugin(launch))
      : textWithHooks(format, { path, before, launch })
  const backsUp = !isPlugin && saved !== `${path}.og-backup`
  const { before, after, backup } = await changeFile(path, { ...wish, plan, backsUp })
  const change = changeBetween(before, after, launch)
  return { path, change, backup, after: (launch && !isPlugin && format.after) || null }
}

/** Keeps a file of the same name from another program. */
function pluginText(before: string | null, text: string | null): string | null {
  return text ?? (before?.includes(mark) ? null : before)
}

function changeBetween(
  before: string | null,
  after: string | null,
  launch: LaunchCommand | null,
): HookOutcome['change'] {
  if (before === after) return 'none'
  if (launch === null) return 'removed'
  return before?.includes(mark) ? 'replaced' : 'added'
}

/** Distinguishes og's hooks from other hooks. */
const mark = 'memory capture'

export function claudeCodeHooks(launch: LaunchCommand): Record<string, Json[]> {
  const { events, entry } = formats['claude-code'] as JsonHooks
  return Object.fromEntries(events.map((event) => [event, [entry(shellCommand(launch))]]))
}

async function textWithHooks(
  format: JsonHooks,
  { path, before, launch }: { path: string; before: string | null; launch: LaunchCommand | null },
): Promise<string | null> {
  if (before === null && launch === null) return null
  const document = { path, format: 'json' as const, text: before ?? format.empty ?? '' }
  const section = await readSection(document, 'hooks')
  const entries: Record<string, Json | null> = {}
  for (const event of format.events) {
    const there = section[event]
    const list: unknown[] = Array.isArray(there) ? there : []
    const others = list.filter((entry) => !isOwn(entry))
    const all = launch === null ? others : [...others, format.entry(shellCommand(launch))]
    if (Bun.deepEquals(list, all)) continue
    entries[event] = all.length === 0 ? null : (all as unknown as Json)
  }
  const isSame = Object.keys(entries).length === 0
  return isSame ? before : editText(document, { section: 'hooks', entries })
}

function isOwn(entry: unknown): boolean {
  if (!isRecord(entry)) return false
  const hooks = Array.isArray(entry.hooks) ? entry.hooks : [entry]
  return hooks.some((hook) => isRecord(hook) && String(hook.command).includes(mark))
}

/** Returns a shell command line. Quotes words with special characters. */
function shellCommand({ command, args }: LaunchCommand): string {
  const quoted = (word: string) =>
    /^[\w./:=@-]+$/.test(word) ? word : `"${word.replace(/["\\$`]/g, '\\$&')}"`
  return [command, ...args].map(quoted).join(' ')
}

/**
 * Returns a plugin that forwards each user message, because OpenCode cannot run commands as hooks.
 */
function opencodePlugin({ command, args }: LaunchCommand): string {
  return pluginTemplate.replace(/COMMAND|ARGS/g, (name) =>
    JSON.stringify(name === 'ARGS' ? args : command),
  )
}
