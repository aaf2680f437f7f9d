import { version as number } from '../../../package.json'
import { command } from '../command.ts'
import { licensesText } from '../licenses.ts'

export const version = command({
  name: 'version',
  summary: 'print the version',
  positionals: {},
  options: { licenses: { type: 'switch', doc: 'print the licence of everything that is bundled' } },
  examples: ['og version', 'og version --licenses'],
  async run({ terminal }, { licenses }) {
    await terminal.write(licenses ? await licensesText() : `${number}\n`)
    return 0
  },
})
