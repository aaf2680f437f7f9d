/**
 * Writes lines into a file: `line-appender.ts PATH PREFIX EVERY_MS KIND`. KIND `append` opens the
 * file for each line, `rename` writes a new file next to it and renames it, as editors do, and
 * `rewrite` truncates it. Writes until a line arrives on stdin, and then prints how many lines it
 * wrote. If EVERY_MS is `asked`, writes once for each line on stdin, which contains the
 * milliseconds to wait before, and prints a line afterwards.
 */
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

const [path = '', prefix = '', everyMs = '4', kind = 'append'] = process.argv.slice(2)
const write: Record<string, (line: string) => void> = {
  append: (line) => appendFileSync(path, line),
  rename(line) {
    const beside = `${path}.${prefix}.tmp`
    writeFileSync(beside, readFileSync(path, 'utf8') + line)
    renameSync(beside, path)
  },
  rewrite: (line) => writeFileSync(path, readFileSync(path, 'utf8') + line),
}
let count = 0
process.stdout.write('ready\n')
if (everyMs === 'asked') {
  for await (const waitMs of console) {
    await Bun.sleep(Number(waitMs))
    write[kind]!(`${prefix}${count++}\n`)
    process.stdout.write('written\n')
  }
}
let isAsked = false
process.stdin.once('data', () => (isAsked = true))
while (!isAsked) {
  write[kind]!(`${prefix}${count++}\n`)
  await Bun.sleep(Number(everyMs))
}
process.stdout.write(`${count}\n`)
process.exit(0)
