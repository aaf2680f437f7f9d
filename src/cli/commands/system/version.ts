import { version as number } from '../../../../package.json'
import { command, option } from '../../command.ts'
import { licensesText } from '../../licenses.ts'
import { jsonOption } from '../../operation-options.ts'
import { jsonText } from '../../../platform/json.ts'

export const version = command({
  name: 'version',
  summary: 'print the version',
  options: {
    licenses: option.flag('print the licences of all bundled components'),
    json: jsonOption,
  },
  async run({ terminal }, { licenses, json }) {
    const text = licenses ? await licensesText() : null
    const answer = { version: number, ...(text === null ? {} : { licenses: text }) }
    await terminal.write(json ? jsonText(answer) : (text ?? `${number}\n`))
    return 0
  },
})
