import { dlopen } from 'bun:ffi'
import { errorOf, refusedOf, type Answer, type FromChild, type Job } from './aside-message.ts'
import type { ToChild } from './aside-message.ts'

/** May ask whoever wants the work done; `ask` answers when that does. */
export type Work = (input: never, ask: (question: string) => Promise<never>) => unknown

/** The process that `openAside` starts: does jobs, one after another, until that is gone. */
export function serveAside(works: Record<string, Work>): void {
  const jobs: Job[] = []
  let asking: ((answer: Answer) => void) | null = null
  let isBusy = false
  const send = (message: FromChild) => void process.send!(message)

  async function outcome({ id, kind, input }: Job): Promise<FromChild> {
    const ask = (question: string) => new Promise<never>((resolve, reject) => {
      asking = (it) => 'answer' in it ? resolve(it.answer as never) : reject(errorOf(it.refused))
      send({ type: 'asked', id, question })
    })
    try {
      return { type: 'done', id, output: await works[kind]!(input as never, ask) }
    } catch (error) {
      return { type: 'failed', id, refused: refusedOf(error) }
    }
  }

  async function drain(): Promise<void> {
    isBusy = true
    for (let job = jobs.shift(); job; job = jobs.shift()) send(await outcome(job))
    isBusy = false
  }

  process.on('message', (message: ToChild) => {
    if (!('kind' in message)) return asking?.(message)
    jobs.push(message)
    if (!isBusy) void drain()
  })
  process.on('disconnect', () => process.exit(0))
  endWithParent()
  send({ type: 'ready' })
}

const setParentDeathSignal = 1
const sigkill = 9

/** One that is busy would not notice that its parent was killed, and go on for ever. */
function endWithParent(): void {
  const { symbols } = dlopen('libc.so.6', { prctl: { args: ['i32', 'u64'], returns: 'i32' } })
  symbols.prctl(setParentDeathSignal, sigkill)
  if (!process.connected) process.exit(0)
}
