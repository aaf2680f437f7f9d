/** Edits the first line of USER.md repeatedly: `line-editor.ts ROOT COUNT`. */
import { write } from '../../../../src/memory/write/write.ts'
import { openTestMemory } from '../../memory/memory.ts'

const [root = '', count = '0'] = process.argv.slice(2)
const memory = await openTestMemory(root)
for (let i = 1; i <= Number(count); i++) {
  await write(memory, { file: 'USER.md', start_line: 1, end_line: 1, content: `# User ${i}` })
}
