import { configSnippet } from '../../src/cli/clients/install.ts'
import { join } from 'node:path'
import { docsTools } from '../../src/mcp/face.ts'
import { ingestTools } from '../../src/mcp/ingest/ingest-tools.ts'
import { researchPrompt, toolListing, skillsExtension } from '../../src/mcp/server.ts'
import { pageTemplate } from '../../src/mcp/docs/resources.ts'
import { bootstrapPrompt } from '../../src/mcp/memory/memory-text.ts'
import { allMemoryTools } from '../../src/mcp/memory/memory-tools.ts'
import { skills, skillUri } from '../../src/mcp/skill.ts'
import { clients, type Client } from '../../src/cli/clients/client.ts'
import { code, table } from './docs-table.ts'

export const mcpDocsPath = join(import.meta.dirname, '../..', 'docs/reference/mcp.md')

/** Returns the text of docs/reference/mcp.md, made from the tables of tools. */
export async function renderMcpDocs(): Promise<string> {
  const snippets = await Promise.all(clients.map(renderClient))
  const prompt = researchPrompt.arguments.map(({ name, description }) => [code(name), description])
  return [
    '# MCP server',
    'Generated from the tool tables by `scripts/build/docs.ts`; a test fails when it is stale.',
    mcpIntroduction,
    '## Tools',
    ...docsTools.map(renderTool),
    '## Tools that index',
    'The server lists these tools if it was started with `--allow-ingest`. A job is a separate ' +
      'process: it continues when the client disconnects, and ends when the call is cancelled.',
    ingestReach,
    ...ingestTools.map(renderTool),
    '## Resources',
    `${code(pageTemplate.uriTemplate)}: ${pageTemplate.description.toLowerCase()}. ` +
      'The server completes library, version and path. `resources/list` has 200 entries per page.',
    '## Skills',
    `The server has the extension ${code(skillsExtension)} (SEP-2640). Clients with it ` +
      'list, verify and read the skills; other clients see them as resources.',
    table(
      ['Skill', 'For'],
      Object.values(skills).map((skill) => [code(skillUri(skill)), skill.description]),
    ),
    '## Prompt',
    `\`${researchPrompt.name}\`: ${researchPrompt.description.toLowerCase()}.`,
    table(['Argument', 'Meaning'], prompt),
    '## Memory',
    memoryIntroduction,
    ...allMemoryTools.map(renderTool),
    `Prompt \`${bootstrapPrompt.name}\`, without arguments: ` +
      `${bootstrapPrompt.description.replace('Memory', 'memory')}.`,
    '## Clients',
    '`og install-mcp --CLIENT` writes these entries, with the absolute path of `og`.',
    ...snippets,
  ]
    .join('\n\n')
    .concat('\n')
}

const mcpIntroduction = `
\`og mcp\` serves one agent over stdin and stdout; \`og serve\` serves any number of agents over
streamable HTTP, by default at \`http://127.0.0.1:4241/mcp\`. Both support every revision of the
Model Context Protocol from 2024-11-05 to 2026-07-28. \`og install-mcp\` writes the configuration
of a client into its file, and \`og mcp --print-config CLIENT\` prints it.

The text of an answer is for the model. The \`structuredContent\` of \`search_documents_tool\`
and \`get_full_content_tool\` has addresses, lines and scores without the passages; the argument
\`structured: "full"\` adds them. Claude Code and Codex show their model the structured content
instead of the text, so they get none unless they ask for it. A hit has a short name of its page,
which \`get_full_content_tool\` accepts as \`url\`. The setting \`mcp.answer_shape\` restores
openground's text. Passages are in fences that their text cannot close, and are labelled as data.
If a library is not indexed, the answer has similar names and the command that adds it. If
arguments are wrong, the result has \`isError\` and describes the correct ones.

Over HTTP, og refuses requests with a foreign Host or Origin. Only \`/health\` answers everyone.
A request has at most 4 MiB, and an address may send 200 requests per second. og keeps no session:
clients with revision 2026-07-28 receive notifications through \`subscriptions/listen\`, and older
clients receive them over stdio.
`.trim()

const ingestReach = `
og does not trust a source that an agent names, because the agent may have read it on a stranger's
page:

- Hosts must be public. og refuses addresses of this machine, of private and link-local networks,
  and of no server, in any spelling. It also refuses names that resolve to such an address, single
  words, and names below \`.local\`, \`.internal\`, \`.lan\`, \`.home\`, \`.corp\` and others.
  The same rules apply to addresses that a site lists, links to or redirects to, to git's
  redirects, and to the stored source of a library on update.
- og reads repositories over http and https. ssh and \`git://\` resolve names themselves, and ssh
  sends your key, so og uses them only for allowed hosts.
- Folders, files and archives must be in the folder in which \`og mcp\` was started, unless that
  folder is your home or contains it. For a symbolic link, the target counts. An agent cannot name
  \`file://\`, bundles or bare repositories, and cannot name files on the disk of an \`og serve\`.
  It may update a library that a person has indexed from the disk.
- If a person trusts a project (\`og sources trust\`), an agent gets no further access. Sources that
  an agent names are not saved in a sources.json.

To allow other hosts, start the server with \`og mcp --allow-ingest --allow-host 10.0.0.7:8080\`.
\`og install-mcp\` accepts both flags and writes them to the client's file. For \`og serve\` the
flag is \`--allow-source-host\`, because \`--allow-host\` is a name by which clients call it.
Without a port, all ports of the host are allowed. Names are compared as typed: an allowed name
does not allow its address. og connects to the address that it has checked; git before 2.37
resolves the name again.
`.trim()

const memoryIntroduction = `
\`og memory mcp\` serves a memory ([guide](../guide/memory.md)) over stdin and stdout.
\`og mcp --memory\` adds its tools to the documentation tools. \`og memory serve\` serves
workspaces over HTTP, by default at \`http://127.0.0.1:4242/mcp\`. The tools have GroundMemory's
names, arguments, results and messages.

\`memory_list\` is listed with \`expose_memory_list\`, and \`memory_compact\` if
\`bootstrap.compaction_token_threshold\` is set. \`memory_inbox\` and \`memory_decide\` are
listed if the workspace has an INBOX.md when the client connects. A call to an unlisted tool
returns an error that says how to enable it. With \`dispatcher_mode\`, \`memory_tool\` is the only
tool and has all actions. A client that may only read sees no tool that writes.
[memory-server.md](memory-server.md) describes keys, several workspaces, proxies and the
container.

Stored text is labelled as data in every answer that quotes it, and it cannot imitate the frame of
\`memory_bootstrap\`. Messages contain no path of the server.
`.trim()

type ListedTool = Parameters<typeof toolListing>[0] & { aliases: readonly string[] }

/** Returns the entry for a client's configuration file, for a machine with `og` on the PATH. */
async function renderClient(client: Client): Promise<string> {
  const config = await configSnippet(client, { command: 'og', args: ['mcp'] })
  return `### ${client.title}\n\n\`\`\`${client.format}\n${config}\`\`\``
}

function renderTool(tool: ListedTool): string {
  const { title, description, inputSchema, outputSchema, annotations } = toolListing(tool)
  const hints = Object.entries(annotations).flatMap(([hint, is]) => (is === true ? [hint] : []))
  const required = inputSchema.required as string[] | undefined
  const rows = Object.entries(propertiesOf(inputSchema)).map(([name, property]) => [
    code(name),
    required?.includes(name) ? 'yes' : '',
    property.type ?? 'string or array',
    property.description ?? '',
  ])
  const fields = Object.keys(propertiesOf(outputSchema)).map(code).join(', ')
  return [
    `### ${tool.name}`,
    `${title}. ${description}`,
    table(['Argument', 'Needed', 'Type', 'Meaning'], rows),
    `Annotations: ${listed(hints) || 'none'}.` +
      (tool.aliases.length === 0 ? '' : ` Also called: ${listed(tool.aliases)}.`),
    fields === '' ? 'Returns an object from name to a list of versions.' : `Returns ${fields}.`,
  ].join('\n\n')
}

const listed = (names: readonly string[]) => names.map(code).join(', ')

type Property = { type: string; description?: string }

function propertiesOf({ properties = {} }: Record<string, unknown>): Record<string, Property> {
  return properties as Record<string, Property>
}
