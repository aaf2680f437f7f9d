import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Environment } from '../../../config/env.ts'
import { loadSettings } from '../../../config/load.ts'
import { configFile } from '../../../config/homes.ts'
import { messageOf, OgError } from '../../../platform/error.ts'
import { editTextFile } from '../../../platform/file/edit-file.ts'
import { createTempFolder, writeFileAtomically } from '../../../platform/file/files.ts'
import { readTextFile } from '../../../platform/file/read-file.ts'
import { command } from '../../command.ts'
import type { Context } from '../../context.ts'

export const configEdit = command({
  name: 'config edit',
  summary: 'open config.json in your editor',
  details: [
    'Opens a copy of config.json in $VISUAL, else $EDITOR, else vi. When the copy is valid, ' +
      'it replaces config.json; until then og uses the old file.',
  ],
  examples: ['og config edit', 'EDITOR="code --wait" og config edit'],
  async run(context) {
    // Handles Ctrl-C here, so that it reaches the editor and does not end og.
    context.interruption()
    const path = configFile(context.env)
    const before = await textBefore(path)
    await using temp = await createTempFolder('og-config')
    const copy = join(temp.path, 'og', 'config.json')
    await mkdir(dirname(copy))
    await writeFile(copy, before ?? '{}\n')
    const text = await editCopy(context, { copy, path })
    if (text === before) {
      context.terminal.note('plain', 'Nothing was changed.')
      return 0
    }
    await mkdir(dirname(path), { recursive: true })
    const plan = (now: string | null) => {
      if (now === before) return text
      throw new OgError(`Cannot save config "${path}": another program has changed it`)
    }
    await editTextFile(path, { plan }).catch(async (error: unknown) => {
      throw await rejected(error, { path, text })
    })
    context.terminal.note('plain', `Config saved to ${path}`)
    return 0
  },
})

async function textBefore(path: string): Promise<string | null> {
  return readTextFile(path, { limitMb: 1 }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return null
    throw new OgError(`Cannot edit config "${path}": ${messageOf(cause)}`, {
      hint: 'create the file, or run "og config reset"',
      cause,
    })
  })
}

type Files = { copy: string; path: string }

/** Opens the editor until the text is valid, then returns the text. */
async function editCopy(context: Context, { copy, path }: Files): Promise<string> {
  const { env, terminal } = context
  for (;;) {
    await runEditor(env, copy)
    const { problems } = await loadSettings(onlyFile(env, dirname(dirname(copy))))
    const text = await readFile(copy, 'utf8')
    const [problem] = problems
    if (problem === undefined) return text
    const message = problem.message.replaceAll(copy, path)
    if (terminal.canAsk) {
      terminal.note('error', message)
      if (await terminal.ask('Edit it again?')) continue
    }
    await mkdir(dirname(path), { recursive: true })
    const refusal = new OgError(`${message}; config.json was not changed`)
    throw await rejected(refusal, { path, text })
  }
}

async function rejected(
  error: unknown,
  { path, text }: { path: string; text: string },
): Promise<OgError> {
  const kept = `${path}.rejected`
  await writeFileAtomically(kept, text)
  return new OgError(messageOf(error), { hint: `your text was saved in ${kept}`, cause: error })
}

/** Returns the environment without OG_ variables, so that only the edited copy is validated. */
function onlyFile(env: Environment, configHome: string): Environment {
  const others = Object.entries(env).filter(([name]) => !name.startsWith('OG_'))
  return { ...Object.fromEntries(others), XDG_CONFIG_HOME: configHome }
}

/** Uses a shell, as git does, so that `code --wait` works. */
async function runEditor(env: Environment, path: string): Promise<void> {
  const isWindows = process.platform === 'win32'
  const editor = env.VISUAL || env.EDITOR || (isWindows ? 'notepad' : 'vi')
  const line = isWindows
    ? ['cmd', '/c', `${editor} "${path}"`]
    : ['sh', '-c', `${editor} "$1"`, 'sh', path]
  const child = Bun.spawn(line, { env, stdin: 'inherit', stdout: 'inherit', stderr: 'inherit' })
  const exitCode = await child.exited
  if (exitCode === 0) return
  throw new OgError(`Cannot edit the config: "${editor}" ended with ${exitCode}; nothing changed`, {
    hint: 'set EDITOR to an installed editor',
  })
}
