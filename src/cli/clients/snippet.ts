import { embedded } from '../../platform/native/embedded.ts'
import { OgError } from '../../platform/error.ts'
import { didYouMean } from '../../platform/text/nearest.ts'
import { jsonText } from '../../platform/json.ts'
import { clients, type Client, type Launch } from './client.ts'
import { servers, type ServerEntry } from './install.ts'

/** What a client has to run: this executable; from source, the runtime with our first file. */
export function ownLaunch(args: readonly string[]): Launch {
  const own = embedded === null ? [Bun.main] : []
  return { command: process.execPath, args: [...own, ...args] }
}

/** Seen from Windows, where a client starts a program inside WSL. */
export function throughWsl({ command, args }: Launch): Launch {
  return { command: 'wsl.exe', args: [command, ...args] }
}

/** What belongs into a client's file, as text that its format takes. Touches nothing. */
export async function configText(
  client: Client,
  launch: Launch,
  { name }: ServerEntry = servers.documentation,
): Promise<string> {
  const content = { [client.section]: { [name]: client.entry(launch) } }
  if (client.format === 'json') return jsonText(content)
  const { stringify } = await import('smol-toml')
  return `${stringify(content).trimEnd()}\n`
}

/** @throws OgError that names the clients there are */
export function clientNamed(name: string): Client {
  const names = clients.map((client) => client.name)
  const client = clients.find((client) => client.name === name.toLowerCase())
  if (client !== undefined) return client
  throw new OgError(`Unknown client "${name}"`, {
    hint: didYouMean(name, names) || `it is one of ${names.join(', ')}`,
  })
}
