/**
 * A process for test/platform/file/cleanup.test.ts that ends in the given way: normally, by an
 * error, by its own signal, or by a signal with another listener.
 */
import { atExit } from '../../../src/platform/file/files.ts'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const say = (text: string) => process.stdout.write(`${text}\n`)
const listeners = () => say(signals.map((signal) => process.listenerCount(signal)).join(' '))

const [, , way = '', by = ''] = process.argv

listeners()
const forget = atExit(() => say('forgotten'))
listeners()
forget()
forget()
listeners()

for (const name of ['first', 'second']) atExit(() => say(name))
atExit(() => {
  throw new Error('no such folder')
})
atExit(() => say('last'))
atExit(() => say('forgotten'))()

if (way === 'error') throw new Error('of the program')
if (way === 'exit') process.exit(3)
if (way === 'listened')
  process.on(by, () => {
    say('listened')
    process.exit(4)
  })
if (way === 'listened' || way === 'signal') {
  setInterval(() => {}, 1000)
  process.kill(process.pid, by as NodeJS.Signals)
}
