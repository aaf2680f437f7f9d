/**
 * Appends entries until it is killed, and prints each written entry: `memory-appender.ts ROOT
 * PREFIX`. Every fifth write edits USER.md, every seventh adds a relation.
 */
import { append } from '../../../src/memory/write/append.ts'
import { relate } from '../../../src/memory/relate.ts'
import { write } from '../../../src/memory/write/write.ts'
import { openTestMemory } from '../memory/memory.ts'

const [root = '', prefix = ''] = process.argv.slice(2)
const memory = await openTestMemory(root)
for (let i = 0; ; i++) {
  const name = `${prefix}${i}`
  const filler = ` ${'äöü🌍 '.repeat(i % 7 === 3 ? 20_000 : 5)}`
  if (i % 5 === 4) {
    const text = memory.text('USER.md')
    const nLines = text.split('\n').length - 1
    const request = { file: 'USER.md', start_line: nLines, end_line: nLines }
    await write(memory, { ...request, content: `user ${name}${filler}\nend` })
  } else if (i % 7 === 6) {
    await relate(memory, { subject: name, predicate: 'is', object: 'written' })
  } else {
    await append(memory, { file: 'MEMORY.md', content: `entry ${name}${filler}` })
  }
  process.stdout.write(`${i % 5 === 4 ? 'user' : i % 7 === 6 ? 'relation' : 'entry'} ${name}\n`)
}
