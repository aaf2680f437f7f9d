import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Envelope, MemoryOptions, MemorySession as Session } from './memory-api.ts'
import { sessionOver } from './session.ts'

export { anthropic, openai } from './adapters.ts'

/** The memory session for Node programs. It starts `og memory mcp` as a child process. */
export const MemorySession = {
  async create(workspace?: string, options: MemoryOptions = {}): Promise<Session> {
    const { root, env = process.env, executable } = options
    const [command = '', ...words] = executable === undefined ? ownCommand() : [executable]
    const args = [
      ...words,
      'memory',
      'mcp',
      '--for-programs',
      ...(root === undefined ? [] : ['--root', root]),
      ...(workspace === undefined ? [] : ['--workspace', workspace]),
    ]
    const child = spawn(command, args, {
      env: { ...env } as NodeJS.ProcessEnv,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const peer = openPeer(child, words[0] ?? command)
    await peer.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'og', version: '1' },
    })
    peer.notify('notifications/initialized')
    // Opens the workspace now, so that `create` reports an invalid name.
    const opened = await callTool(peer, 'memory_list', {})
    if (opened?.status === 'error') {
      await peer.close()
      throw new Error(opened.message as string)
    }
    const { tools } = (await peer.request('tools/list', {})).result
    return sessionOver({
      tools: tools.map(({ name, description, inputSchema }: any) => ({
        name,
        description,
        inputSchema,
      })),
      call: (name, args) => callTool(peer, name, args),
      close: peer.close,
    })
  },
}

/** Finds `dist/og` next to `dist/memory.js`. In the npm package, this is a launcher for Node. */
function ownCommand(): string[] {
  const [launcher, built] = ['./og.cjs', './og'].map((name) =>
    fileURLToPath(new URL(name, import.meta.url)),
  ) as [string, string]
  if (existsSync(launcher)) return [process.execPath, launcher]
  return [existsSync(built) ? built : 'og']
}

type Peer = {
  /** @returns `result` or `error` of the response */
  request(method: string, params: object): Promise<any>
  notify(method: string): void
  close(): Promise<void>
}

async function callTool(peer: Peer, name: string, args: object): Promise<Envelope | null> {
  const { result, error } = await peer.request('tools/call', { name, arguments: args })
  // Invalid arguments have a result, so this error code can only mean an unknown tool.
  if (error?.code === invalidParams) return null
  if (error !== undefined) return { status: 'error', message: error.message }
  if (!result.isError) return result.structuredContent
  const { text } = result.content[0]
  const message = text.replace(`Error executing tool ${name}: `, '').replace(/\nhint: .*$/s, '')
  return { status: 'error', message }
}

const invalidParams = -32602

function openPeer(child: ChildProcess, executable: string): Peer {
  const waiting = new Map<number, { resolve(message: any): void; reject(error: Error): void }>()
  let problem: Error | null = null
  let lastId = 0
  const exited = new Promise<void>((resolve) => {
    const end = (error: Error) => {
      problem ??= error
      for (const { reject } of waiting.values()) reject(problem)
      waiting.clear()
      resolve()
    }
    child.on('error', (cause) => end(new Error(`Cannot run ${executable}: ${cause.message}`)))
    child.on('exit', (code) => end(new Error(`og memory mcp ended with exit code ${code}`)))
  })
  child.stdin!.on('error', () => {})
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const message = JSON.parse(line)
    waiting.get(message.id)?.resolve(message)
    waiting.delete(message.id)
    if (waiting.size === 0) keepAlive(child, false)
  })
  const send = (message: object) =>
    child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  return {
    request(method, params) {
      if (problem !== null) return Promise.reject(problem)
      const id = ++lastId
      keepAlive(child, true)
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject })
        send({ id, method, params })
      })
    },
    notify: (method) => void send({ method }),
    async close() {
      keepAlive(child, true)
      child.stdin!.end()
      await exited
    },
  }
}

function keepAlive(child: ChildProcess, isHeld: boolean): void {
  for (const held of [child, child.stdin, child.stdout] as unknown as RefCounted[]) {
    if (isHeld) held.ref?.()
    else held.unref?.()
  }
}

/**
 * In Node, the streams of a child process have these methods, although their types lack them. Bun
 * lacks them.
 */
type RefCounted = { ref?(): void; unref?(): void }
