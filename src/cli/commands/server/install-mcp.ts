import { expandPath } from '../../../config/paths.ts'
import { skills, type Skill } from '../../../mcp/skill.ts'
import { OgError } from '../../../platform/error.ts'
import { jsonText } from '../../../platform/json.ts'
import { didYouMean } from '../../../platform/text/nearest.ts'
import { parseArguments } from '../../arguments.ts'
import {
  clients,
  type Client,
  type LaunchCommand,
  type Machine,
  installedLaunchCommand,
  wrapInWsl,
  machinePath,
} from '../../clients/client.ts'
import { configureHooks, hookClients, type HookOutcome } from '../../clients/hooks.ts'
import {
  configureClient,
  clientSettingsFile,
  type InstallOutcome,
  type ClientSetup,
  changeFile,
  type FileOutcome,
  configSnippet,
  serverEntries,
  type ServerEntry,
} from '../../clients/install.ts'
import { command, option, type OptionValues } from '../../command.ts'
import type { Context } from '../../context.ts'
import type { Terminal } from '../../terminal.ts'
import { memoryMcp } from '../memory/memory-serve.ts'
import { ingestArguments, parseIngestOptions, mcp } from './mcp.ts'
import { rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const clientOptions = Object.fromEntries(
  clients.map(({ name, title }) => [name, option.flag(`write ${title}'s file`)]),
) as Record<string, { type: 'switch'; doc: string }>

const installOptions = {
  ...clientOptions,
  project: option.flag('write the file of the project in the current folder'),
  'allow-ingest': option.flag('let the agent add and update libraries'),
  'allow-host': option.texts('HOST[:PORT]', 'with --allow-ingest: a private host that can be read'),
  memory: option.flag('add the entry "og-memory", which serves the memory'),
  capture: option.flag('with --memory: add hooks that capture notes of sessions'),
  workspace: option.text('-w NAME', 'with --memory: the workspace to serve'),
  scope: option.text('SCOPE', 'with --memory: one memory for all, or one for each git repository', {
    choices: ['user', 'project'],
  }),
  root: option.text('DIR', 'with --memory: the folder of workspaces'),
  'no-skill': option.flag('write no skill, only the entry'),
  uninstall: option.flag('remove the entry and the skill'),
  'dry-run': option.flag('print the changes without writing them'),
  wsl: option.flag('print the configuration for a client on Windows and og in WSL'),
  json: option.flag('print the results as a JSON array'),
}

export const installMcp = command({
  name: 'install-mcp',
  summary: 'add og to the MCP servers of a coding agent',
  positionals: {
    options: { doc: 'after "--": options of the server', variadic: true, optional: true },
  },
  options: installOptions,
  async run(context, values) {
    const chosen = clients.filter(({ name }) => (values as Record<string, unknown>)[name] === true)
    const { wsl, json, uninstall, project, 'dry-run': dryRun } = values
    const server = values.memory ? serverEntries.memory : serverEntries.documentation
    const args = launchArguments(context, values)
    const isShared = project && Bun.which('og', { PATH: context.env.PATH ?? '' }) !== null
    const launchOf = (args: string[]) =>
      isShared ? { command: 'og', args } : installedLaunchCommand(args, context.env)
    const launch = launchOf(args)
    if (chosen.length === 0) {
      if (uninstall || project || dryRun) throw noClient()
      return printConfig(context.terminal, wsl ? wrapInWsl(launch) : launch, server)
    }
    if (wsl) context.terminal.note('warning', '--wsl has no effect on the file of a client')
    if (values.capture) checkCapture(values.memory, chosen)
    const wish: ClientSetup = {
      server,
      launch: uninstall ? null : launch,
      scope: project ? 'project' : 'user',
      dryRun,
    }
    const skill = values['no-skill'] ? null : values.memory ? skills.memory : skills.documentation
    // "memory mcp OPTIONS" and "memory capture OPTIONS" select the same memory.
    const hasHooks = values.capture || (uninstall && values.memory)
    const hooks = hasHooks ? launchOf(captureArguments(args)) : null
    const outcomes = await configureAll(context, chosen, { ...wish, skill, hooks })
    const done = outcomes.map(outcomeJson)
    if (json) await context.terminal.write(jsonText(done))
    return 0
  },
})

type InstallTyped = OptionValues<typeof installOptions> & { options: readonly string[] }

/**
 * Builds the server's arguments. The root must be absolute, because each client chooses its own
 * working folder.
 */
function launchArguments({ env }: Context, values: InstallTyped): string[] {
  const { memory, workspace, scope, root, options } = values
  const ingest = parseIngestOptions(values)
  // Errors are easy to miss when a client starts the server, so options are validated now.
  const [first = ''] = options
  if (/^\w/.test(first)) throw unexpected(first)
  parseArguments(memory ? memoryMcp : mcp, options)
  if (scope !== null && !['user', 'project'].includes(scope)) {
    throw new OgError(`Cannot use "${scope}" for --scope: it must be user or project`)
  }
  if (memory) {
    if (ingest.allowIngest) {
      throw new OgError('Cannot use --allow-ingest with --memory: memory indexes no libraries')
    }
    return [
      'memory',
      'mcp',
      ...(root === null ? [] : ['--root', expandPath(root, env)]),
      ...(workspace === null ? [] : ['--workspace', workspace]),
      ...(scope === null ? [] : ['--scope', scope]),
      ...options,
    ]
  }
  if ((workspace ?? root ?? scope) === null) return ['mcp', ...ingestArguments(ingest), ...options]
  const names = '--workspace, --scope or --root'
  throw new OgError(`Cannot use ${names} without --memory`, { hint: 'add --memory' })
}

/** An unknown word is probably a client name, because servers have no positional arguments. */
function unexpected(word: string): OgError {
  const names = clients.map(({ name }) => `--${name}`)
  const hint = didYouMean(`--${word}`, names) || 'see "og install-mcp --help"'
  return new OgError(`Unexpected "${word}" after "og install-mcp"`, { hint })
}

type Installed = InstallOutcome & { skill: FileOutcome | null; hooks: HookOutcome | null }
type WithSkill = ClientSetup & { skill: Skill | null; hooks: LaunchCommand | null }

/** Checks all clients before changing any, so that an error leaves all of them unchanged. */
async function configureAll(
  { env, terminal }: Context,
  chosen: readonly Client[],
  wish: WithSkill,
): Promise<Installed[]> {
  const machine: Machine = { env, platform: process.platform, cwd: process.cwd() }
  const configure = async (client: Client, dryRun: boolean) => {
    const outcome = await configureClient(client, machine, { ...wish, dryRun })
    const { skill } = wish
    const placed = skill && (await configureSkill(client, machine, { ...wish, skill, dryRun }))
    const { backup: saved } = outcome
    const hookWish = { ...wish, dryRun, saved }
    const hooks = wish.hooks && (await configureOwnHooks(client, machine, hookWish))
    return { ...outcome, skill: placed, hooks }
  }
  for (const client of chosen) clientSettingsFile(client, machine, wish.scope)
  for (const client of chosen) await configure(client, true)
  const outcomes: Installed[] = []
  for (const client of chosen) {
    const outcome = await configure(client, wish.dryRun)
    await printOutcome(terminal, outcome, { client, wish })
    outcomes.push(outcome)
  }
  return outcomes
}

/** The client's name is part of its command, so that captured notes can name their source. */
function configureOwnHooks(
  client: Client,
  machine: Machine,
  wish: WithSkill & { saved: string | null },
) {
  const { hooks, launch } = wish
  const clientHooks = hooks && { ...hooks, args: [...hooks.args, '--client', client.name] }
  return configureHooks(client, machine, { ...wish, launch: launch && clientHooks })
}

function checkCapture(memory: boolean, chosen: readonly Client[]): void {
  if (!memory) {
    throw new OgError('Cannot use --capture without --memory', { hint: 'add --memory' })
  }
  const without = chosen.find(({ name }) => !hookClients.includes(name))
  if (without === undefined) return
  throw new OgError(`Cannot capture sessions of ${without.title}: og does not support its hooks`, {
    hint: `these have: ${hookClients.map((name) => `--${name}`).join(', ')}`,
  })
}

/** Selects the options of a memory server that `og memory capture` needs too. */
function captureArguments([, , ...options]: readonly string[]): string[] {
  const others = options.filter((word) => !['--read-only', '--for-programs'].includes(word))
  return ['memory', 'capture', ...others]
}

async function printOutcome(
  terminal: Terminal,
  outcome: Installed,
  { client, wish }: { client: Client; wish: ClientSetup },
): Promise<void> {
  const { change, path, backup, replacedUpstream, server } = outcome
  const { name, upstream } = server
  const would = wish.dryRun ? 'would be ' : ''
  if (replacedUpstream) {
    const entry = `the entry "${upstream}" of ${path}`
    terminal.note('warning', `${entry} ${would || 'was '}replaced by "${name}"`)
  }
  if (change === 'none') {
    const state = wish.launch === null ? 'is missing' : 'already exists'
    terminal.note('plain', `${client.title}: "${name}" ${state} (${path})`)
  } else {
    const verb = change === 'removed' ? 'removed from' : `${change} in`
    terminal.note('plain', `${client.title}: "${name}" ${would}${verb} ${path}`)
  }
  if (change !== 'none' && wish.dryRun && wish.launch !== null) {
    terminal.note('plain', (await configSnippet(client, wish.launch, server)).trimEnd())
  }
  if (backup !== null) terminal.note('plain', `   backup: ${backup}`)
  const { hooks } = outcome
  if (hooks !== null && hooks.change !== 'none') {
    terminal.note('plain', `   hooks ${would}${hooks.change}: ${hooks.path}`)
    if (hooks.backup !== null) terminal.note('plain', `   backup: ${hooks.backup}`)
    if (hooks.after !== null && !wish.dryRun) terminal.note('hint', hooks.after)
  }
  const areHooksChanged = hooks !== null && hooks.change !== 'none'
  const isChanged =
    reportSkill(terminal, outcome.skill, would) || change !== 'none' || areHooksChanged
  if (!wish.dryRun && isChanged) terminal.note('hint', client.after)
}

function reportSkill(terminal: Terminal, skill: FileOutcome | null, would: string): boolean {
  if (skill === null || skill.change === 'none') return false
  terminal.note('plain', `   skill ${would}${skill.change}: ${skill.path}`)
  if (skill.backup !== null) terminal.note('plain', `   backup: ${skill.backup}`)
  return true
}

function outcomeJson({ client, server, replacedUpstream, ...outcome }: Installed) {
  const { path, change, backup, skill, hooks } = outcome
  const replaced = { [`replaced_${server.upstream}`]: replacedUpstream }
  return {
    client,
    server: server.name,
    path,
    change,
    ...replaced,
    backup,
    skill,
    ...(hooks && { hooks }),
  }
}

/**
 * Prints only the JSON to stdout, so that it can be piped. Prints its purpose to stderr, as
 * upstream does.
 */
async function printConfig(
  terminal: Terminal,
  launch: { command: string; args: readonly string[] },
  server: ServerEntry,
): Promise<number> {
  const plain = clients.find(({ name }) => name === 'cursor')!
  terminal.note('plain', 'MCP configuration, for clients that have "mcpServers":')
  await terminal.write(await configSnippet(plain, launch, server))
  const flags = clients.map(({ name }) => `--${name}`).join(', ')
  terminal.note('hint', `og writes it for you: og install-mcp with ${flags}`)
  return 0
}

function noClient(): OgError {
  return new OgError('Cannot configure: no client is given', {
    hint: `name one or more: ${clients.map(({ name }) => `--${name}`).join(' ')}`,
  })
}

export function skillPath(
  { skills }: Client,
  machine: Machine,
  { skill, scope }: { skill: Skill; scope: ClientSetup['scope'] },
): string | null {
  if (skills === undefined) return null
  const [user, project] = skills
  const folder = scope === 'user' ? machinePath(machine, user) : join(machine.cwd, project)
  return join(folder, skill.name, 'SKILL.md')
}

/**
 * Installs a client's skill file, or removes it and its folder if the folder is then empty. Backs
 * up an existing file with different content. Returns null if the client does not read skills.
 * @throws OgError if a file cannot be read or written
 */
export async function configureSkill(
  client: Client,
  machine: Machine,
  { launch, skill, ...wish }: ClientSetup & { skill: Skill },
): Promise<FileOutcome | null> {
  const path = skillPath(client, machine, { skill, scope: wish.scope })
  if (path === null) return null
  const plan = () => (launch === null ? null : skill.text)
  const { before, after, backup } = await changeFile(path, { ...wish, plan, backsUp: true })
  if (before === after) return { path, change: 'none', backup }
  if (after === null && !wish.dryRun) await removeIfEmpty(dirname(path))
  return {
    path,
    change: after === null ? 'removed' : before === null ? 'added' : 'replaced',
    backup,
  }
}

async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
}
