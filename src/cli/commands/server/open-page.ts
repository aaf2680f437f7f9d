import { messageOf } from '../../../platform/error.ts'
import { command, option } from '../../command.ts'
import type { Context } from '../../context.ts'
import { listenOptions } from './health.ts'
import { readToken, serveUntilSignal } from './serve.ts'

export const openCommand = command({
  name: 'open',
  summary: 'open the page for people in the browser',
  positionals: { text: { doc: 'search for this on the page', optional: true } },
  options: {
    port: { ...listenOptions.port, default: 4241 },
    memory: option.flag('let everyone who can reach the port on this machine change the memory'),
    'no-browser': option.flag('print the URL without opening a browser'),
  },
  async run(context, { text, port, memory, 'no-browser': isQuiet }) {
    const search = text === null ? '' : `?${new URLSearchParams({ q: text })}`
    const running = `http://127.0.0.1:${port}/`
    const answerer = port === 0 ? 'nothing' : await probePort(port, memory)
    if (answerer === 'page') {
      await show(context, running + search, isQuiet)
      return 0
    }
    if (answerer === 'other') {
      context.terminal.note(
        'hint',
        `another program answers at port ${port}; this one uses another port`,
      )
    }
    return await serveUntilSignal(
      context,
      {
        hostname: '127.0.0.1',
        port: answerer === 'other' ? 0 : port,
        allowedHosts: [],
        token: await readToken(context, null),
        ingest: { allowIngest: false, allowedHosts: [] },
        page: memory ? 'with memory' : 'with memory to read',
      },
      async ({ url }) => {
        await show(context, new URL(`/${search}`, url).href, isQuiet)
        context.terminal.note('hint', 'Ctrl-C ends it')
      },
    )
  },
})

async function show({ env, terminal }: Context, address: string, isQuiet: boolean): Promise<void> {
  await terminal.write(`${address}\n`)
  if (isQuiet) return
  const problem = await startBrowser(browserCommand(env), address)
  if (problem !== null) terminal.note('hint', `open it yourself: ${problem}`)
}

/** BROWSER may contain several commands separated by colons. The first one is used. */
function browserCommand({ BROWSER }: Context['env']): string[] {
  const [command = ''] = (BROWSER ?? '').split(':')
  if (command !== '') return command.split(' ')
  const own: Record<string, string[]> = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }
  return own[process.platform] ?? ['xdg-open']
}

async function startBrowser(command: string[], address: string): Promise<string | null> {
  try {
    const child = Bun.spawn([...command, address], { stdio: ['ignore', 'ignore', 'ignore'] })
    const exitCode = await Promise.race([child.exited, Bun.sleep(startMs).then(() => 0)])
    child.unref()
    return exitCode === 0 ? null : `"${command[0]}" ended with ${exitCode}`
  } catch (error) {
    return messageOf(error)
  }
}

const startMs = 1_000

/**
 * Checks whether og's web page is served on a local port, with memory if required. Avoids fetch,
 * which may use a proxy.
 */
async function probePort(port: number, memory: boolean): Promise<'page' | 'other' | 'nothing'> {
  const { get } = await import('node:http')
  const pattern = memory
    ? /"status":"ok","page":"\/","memory":"\/memory"/
    : /"status":"ok","page":"\/"/
  const address = { host: '127.0.0.1', port, path: '/health', timeout: 1_000 }
  return new Promise((resolve) => {
    const request = get(address, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (piece: string) => {
        text += piece
        if (text.length > 1_000) request.destroy()
      })
      response.on('end', () => resolve(pattern.test(text) ? 'page' : 'other'))
    })
    request.on('timeout', () => request.destroy())
    request.on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ECONNREFUSED' ? 'nothing' : 'other'),
    )
    request.on('close', () => resolve('other'))
  })
}
