import { openForeignFunctions } from '../native/ffi.ts'
import { toError, toRefusal, type SandboxAnswer, type MessageFromChild } from './sandbox-message.ts'
import type { SandboxJob, SandboxOutcome, MessageToChild } from './sandbox-message.ts'

export type SandboxWork = (input: never, ask: (question: unknown) => Promise<never>) => unknown

/** The main loop of a child process of `openSandbox`: runs jobs until the parent exits. */
export function serveSandbox(works: Record<string, SandboxWork>): void {
  const batches: SandboxJob[][] = []
  let pendingQuestion: ((answer: SandboxAnswer) => void) | null = null
  let isBusy = false
  const send = (message: MessageFromChild) => void process.send!(message)

  async function outcome({ id, kind, input }: SandboxJob): Promise<SandboxOutcome> {
    const ask = (question: unknown) =>
      new Promise<never>((resolve, reject) => {
        pendingQuestion = (it) =>
          'answer' in it ? resolve(it.answer as never) : reject(toError(it.refused))
        send({ type: 'asked', id, question })
      })
    try {
      return { output: await works[kind]!(input as never, ask) }
    } catch (error) {
      return { refused: toRefusal(error) }
    }
  }

  /** Runs a batch of jobs. Collects outcomes for up to `unreportedMs` and sends them together. */
  async function workOff(jobs: SandboxJob[]): Promise<void> {
    let [outcomes, saidAt]: [SandboxOutcome[], number] = [[], performance.now()]
    for (const [i, job] of jobs.entries()) {
      outcomes.push(await outcome(job))
      if (i < jobs.length - 1 && performance.now() - saidAt < unreportedMs) continue
      send({ type: 'done', outcomes })
      ;[outcomes, saidAt] = [[], performance.now()]
    }
  }

  async function drain(): Promise<void> {
    isBusy = true
    for (let jobs = batches.shift(); jobs; jobs = batches.shift()) await workOff(jobs)
    isBusy = false
  }

  process.on('message', (message: MessageToChild) => {
    if (!('jobs' in message)) return pendingQuestion?.(message)
    batches.push(message.jobs)
    if (!isBusy) void drain()
  })
  process.on('disconnect', () => process.exit(0))
  endWithParent()
  send({ type: 'ready' })
}

const unreportedMs = 20

const setParentDeathSignal = 1
const sigkill = 9

/**
 * Makes this process end if its parent is killed, even while it is busy. Only Linux has a call for
 * this. On other systems, and without bun:ffi, the process ends after the current job.
 */
function endWithParent(): void {
  if (process.platform === 'linux') {
    const libc = openForeignFunctions('libc.so.6', {
      prctl: { args: ['i32', 'u64'], returns: 'i32' },
    })
    libc?.symbols.prctl(setParentDeathSignal, sigkill)
  }
  if (!process.connected) process.exit(0)
}
