import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type identity from '../../packaging/identity.json'
import { version } from '../../package.json'
import { claudeCodeHooks } from '../../src/cli/clients/hooks.ts'
import { skills } from '../../src/mcp/skill.ts'
import { jsonText } from '../../src/platform/json.ts'
import type { PublishedRelease } from '../../src/platform/published.ts'
import { executableName, type Target } from '../build/target.ts'
import type { Entry } from './archive.ts'

/** The fields of packaging/identity.json that listings need. */
export type Listed = Pick<
  typeof identity,
  | 'name'
  | 'package'
  | 'registryName'
  | 'summary'
  | 'publisher'
  | 'license'
  | 'homepage'
  | 'releases'
>

/** The extension of an MCP Bundle, which is a zip. */
export const bundleExtension = 'mcpb'

const run = (...args: string[]) => ({ command: 'og', args })

/**
 * Adds the manifest of an MCP Bundle to the entries of an archive and moves the executable to
 * `server/`. Claude Desktop and others install such a file by a double click. The server may index
 * libraries, because its users have no shell to run `og add` in.
 * Source: MCPB manifest 0.3, which every released client reads.
 */
export async function bundleEntries(
  target: Target,
  entries: readonly Entry[],
  { folder, about }: { folder: string; about: Listed },
): Promise<Entry[]> {
  const file = `server/${executableName(target)}`
  const path = join(folder, 'manifest.json')
  const manifest = {
    manifest_version: '0.3',
    name: about.name,
    version,
    description: about.summary,
    author: { name: about.publisher },
    ...(about.homepage === '' ? {} : { homepage: about.homepage }),
    server: {
      type: 'binary',
      entry_point: file,
      mcp_config: { command: `\${__dirname}/${file}`, args: ['mcp', '--allow-ingest'] },
    },
    tools_generated: true,
    license: about.license,
    compatibility: { platforms: [target.platform] },
  }
  await writeFile(path, jsonText(manifest))
  const moved = entries.map((it) => (it.isExecutable ? { ...it, name: file } : it))
  return [...moved, { name: 'manifest.json', path, isExecutable: false }]
}

/**
 * The entries of a folder that is a plugin for clients of Agent Plugins 1.0 (`plugin.json`,
 * `mcp.json`, `skills/`), a plugin for Claude Code (`.claude-plugin/`, `.mcp.json`, `hooks/`), and
 * a marketplace of Claude Code with this plugin. It starts the `og` on the PATH. Only Claude Code
 * has hooks in plugins.
 */
export async function pluginEntries(folder: string, about: Listed): Promise<Entry[]> {
  const { name, summary: description, license, publisher, homepage } = about
  const author = { name: publisher }
  const shared = { name, version, description, author, license }
  const linked = homepage === '' ? shared : { ...shared, homepage }
  const servers = { og: run('mcp'), 'og-memory': run('memory', 'mcp') }
  const typed = Object.entries(servers).map(([key, it]) => [key, { type: 'stdio', ...it }])
  const schema = (kind: string) => `https://agent-plugins.org/schemas/1.0.0/${kind}.schema.json`
  const capture = run('memory', 'capture', '--client', 'claude-code')
  const files: Record<string, string> = {
    'plugin.json': jsonText({ $schema: schema('plugin'), ...linked }),
    'mcp.json': jsonText({ $schema: schema('mcp'), mcpServers: Object.fromEntries(typed) }),
    '.mcp.json': jsonText({ mcpServers: servers }),
    '.claude-plugin/plugin.json': jsonText(linked),
    '.claude-plugin/marketplace.json': jsonText({
      name,
      owner: author,
      description,
      plugins: [{ name, source: './', description }],
    }),
    'hooks/hooks.json': jsonText({ hooks: claudeCodeHooks(capture) }),
  }
  files['README.md'] = pluginReadme
  for (const { name, text } of Object.values(skills)) files[`skills/${name}/SKILL.md`] = text
  return Promise.all(
    Object.entries(files).map(async ([file, text]) => {
      const path = join(folder, file)
      await mkdir(join(path, '..'), { recursive: true })
      await writeFile(path, text)
      return { name: file, path, isExecutable: false }
    }),
  )
}

const pluginReadme = `# og

Searches the documentation of the libraries that you use, at the version in your lock file, and
keeps a memory between conversations. The plugin starts \`og\`, which has to be on your \`PATH\`.

- The server \`og\` searches documentation. Add a library with \`og add NAME\`.
- The server \`og-memory\` reads and writes the memory, which consists of Markdown files.
- In Claude Code, hooks run \`og memory capture\`. It collects rules and decisions that you stated
  in \`INBOX.md\`, where \`og memory inbox\` shows them. An agent recalls a note only after you
  accepted it.
`

/**
 * The entry of og in the MCP registry (schema of 11 December 2025); null if
 * packaging/identity.json names no `registryName`. Bundles are listed if it has the address of the
 * releases. A trial is never listed.
 */
export function serverJson({ targets }: PublishedRelease, about: Listed): object | null {
  const { registryName, package: identifier, releases, homepage } = about
  if (registryName === '') return null
  const stdio = { transport: { type: 'stdio' } }
  const start = { packageArguments: [{ type: 'positional', value: 'mcp' }], ...stdio }
  const archives = Object.values(targets).flatMap((it) => (it.trial === null ? it.archives : []))
  const bundles = archives.filter(({ file }) => file.endsWith(`.${bundleExtension}`))
  const isGithub = homepage.startsWith('https://github.com/')
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: registryName,
    title: about.name,
    description: about.summary,
    version,
    ...(homepage === '' ? {} : { websiteUrl: homepage }),
    ...(isGithub ? { repository: { url: homepage, source: 'github' } } : {}),
    packages: [
      { registryType: 'npm', identifier, version, runtimeHint: 'npx', ...start },
      { registryType: 'pypi', identifier, version, runtimeHint: 'uvx', ...start },
      ...(releases === '' ? [] : bundles).map(({ file, sha256 }) => ({
        registryType: 'mcpb',
        identifier: `${releases}/download/v${version}/${file}`,
        fileSha256: sha256,
        ...stdio,
      })),
    ],
  }
}
