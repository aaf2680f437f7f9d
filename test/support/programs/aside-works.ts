/** What the processes of test/platform/aside/aside.test.ts do. */
import { OgError } from '../../../src/platform/error.ts'
import { serveAside } from '../../../src/platform/aside/aside-child.ts'

/** No engine matches this in a lifetime, and no thread can be ended while it does. */
const isEndless = (text: string) => /(.*)(.*)(.*)(.*)(.*)(.*)y/.test(text)

let nMessages = 0
process.on('message', () => nMessages++)

serveAside({
  messages: () => nMessages,
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
  /** Needs so many MB, for half a second. */
  fill: async (mb: number) => {
    const held = new Uint8Array(mb * 1e6).fill(1)
    await Bun.sleep(500)
    return held.length / 1e6
  },
  exit: () => process.exit(7),
  fail: (reason: string) => {
    throw new Error(reason)
  },
  refuse: () => {
    throw new OgError('Cannot count: no numbers', {
      code: 'denied', reason: 'no numbers', hint: 'bring some',
    })
  },
})
