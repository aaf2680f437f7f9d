/** Unpacks the bundled files and prints their folder: `unpacker.ts EMBEDDED.json ROOT`. */
import { readFileSync } from 'node:fs'
import { unpack } from '../../../src/platform/native/unpack.ts'

const [embedded = '', root = ''] = process.argv.slice(2)
const folder = await unpack(JSON.parse(readFileSync(embedded, 'utf8')), root).catch(String)
process.stdout.write(`${folder}\n`)
