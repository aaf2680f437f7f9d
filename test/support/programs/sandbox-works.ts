/** The work of the sandbox processes in test/platform/sandbox/sandbox.test.ts. */
import { dlopen } from 'bun:ffi'
import { OgError } from '../../../src/platform/error.ts'
import { serveSandbox } from '../../../src/platform/sandbox/sandbox-child.ts'

/**
 * This match would take longer than a lifetime, and nothing can stop the thread that computes it.
 */
const isEndless = (text: string) => /(.*)(.*)(.*)(.*)(.*)(.*)y/.test(text)

const [, , platform = process.platform] = process.argv
Object.defineProperty(process, 'platform', { value: platform })

/** PR_GET_PDEATHSIG: the signal that the process receives when its parent dies. */
function deathSignal(): number {
  const { symbols } = dlopen('libc.so.6', { prctl: { args: ['i32', 'ptr'], returns: 'i32' } })
  const signal = new Int32Array(1)
  symbols.prctl(2, signal)
  return signal[0]!
}

let nMessages = 0
process.on('message', () => nMessages++)

serveSandbox({
  messages: () => nMessages,
  deathSignal,
  echo: (input: unknown) => input,
  pid: () => process.pid,
  ask: async (names: string[], ask) => {
    const answers: unknown[] = []
    for (const name of names) answers.push(await ask(name))
    return answers
  },
  match: () => isEndless('x'.repeat(5000)),
  hoard: () => {
    const held: Uint8Array[] = []
    for (;;) held.push(new Uint8Array(2 ** 22).fill(1))
  },
  /** Uses this many MB for half a second. */
  fill: async (mb: number) => {
    const held = new Uint8Array(mb * 1e6).fill(1)
    await Bun.sleep(500)
    return held.length / 1e6
  },
  linger: () => new Promise(() => setInterval(() => {}, 1000)),
  exit: () => process.exit(7),
  fail: (reason: string) => {
    throw new Error(reason)
  },
  refuse: () => {
    throw new OgError('Cannot count: no numbers', {
      code: 'denied',
      reason: 'no numbers',
      hint: 'bring some',
    })
  },
})
