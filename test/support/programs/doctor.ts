/** Prints the checks of its environment as one line of JSON. */
import { loadConfig } from '../../../src/config/load.ts'
import { openOg } from '../../../src/open.ts'

await using og = openOg(await loadConfig(process.env), () => {})
const { checks } = await og.doctor({ offline: false })
process.stdout.write(`${JSON.stringify(checks)}\n`)
