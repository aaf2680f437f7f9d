/** Hosts of private networks in the spellings that a program may take for something else. */
const hosts = [
  '127.0.0.1', '127.0.0.1.', '127.1', '127.0.1', '127.9.9.9', '127.255.255.254', '2130706433',
  '017700000001', '0x7f000001', '0x7f.1', '0X7F.0.0.1', '0177.0.0.1', '0177.1', '127.0.0.0x1',
  '%31%32%37.0.0.1', '①②⑦.0.0.1', '127。0。0。1', '127．0．0．1', '0', '0.0.0.0', '0x0', '0.1.2.3',
  'localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'a.b.LocalHost.', 'ｌocalhost',
  '10.0.0.1', '10.255.255.255', '10.1', '167772161', '0xa000001', '012.0.0.1', '0xa.0.0.1',
  '172.16.0.1', '172.31.255.255', '2886729729', '0xac100001', '192.168.0.1', '192.168.1',
  '192.168.255.255', '3232235521', '0xc0a80001', '0300.0250.0.1', '169.254.169.254',
  '169.254.43518', '2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '0xa9.0xfe.0xa9.0xfe',
  '169.254.0.1', '100.64.0.1', '100.127.255.254', '1681915905', '192.0.0.8', '192.0.2.1',
  '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.250', '240.0.0.1',
  '255.255.255.255', '4294967295', '[::1]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::]',
  '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::FFFF:10.0.0.1]', '[::ffff:a9fe:a9fe]',
  '[::ffff:192.168.0.1]', '[0:0:0:0:0:ffff:10.0.0.1]', '[::127.0.0.1]', '[::7f00:1]', '[::10.0.0.1]',
  '[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::a00:1]', '[64:ff9b::169.254.169.254]',
  '[64:ff9b:1::10.0.0.1]', '[2002:7f00:1::]', '[2002:a00:1::1]', '[2002:c0a8:1::]',
  '[2002:a9fe:a9fe::]', '[2001:0:a00:1::]', '[2001:db8::1]', '[2001:10::1]', '[100::1]', '[fc00::1]',
  '[fd00::1]', '[fd12:3456:789a::1]', '[FDFF::1]', '[fe80::1]', '[fe80::a9fe:a9fe]', '[febf::1]',
  '[fec0::1]', '[feff::1]', '[ff02::1]', '[ff05::2]', '[3fff::1]', '[4000::1]', '[::5efe:10.0.0.1]',
  'router', 'intranet', 'printer.local', 'git.corp.internal', 'wiki.intranet', 'nas.lan', 'a.home',
  'nas.home.arpa', 'x.corp', 'db.private.', 'inner.example.org', 'both.example.org',
  'mapped.example.org', 'metadata.google.internal',
]

/** What the names above mean. */
export async function privateLookup(name: string): Promise<string[]> {
  const known: Record<string, string[]> = {
    'inner.example.org': ['10.1.2.3'], 'both.example.org': ['93.184.216.34', 'fd00::9'],
    'mapped.example.org': ['::ffff:169.254.169.254'],
  }
  return known[name] ?? ['93.184.216.34']
}

/** Each host as a page, as a place that lists or holds pages, and as a repository, in turn. */
const webForms = [
  (host: string) => `http://${host}/`,
  (host: string) => `https://${host}/docs/index.html`,
  (host: string) => `http://${host}:8080/sitemap.xml`,
  (host: string) => `https://${host}/llms.txt`,
  (host: string) => `http://user:word@${host}/docs.zip`,
  (host: string) => `https://${host}:8443/team/kit.git`,
]

const otherTransports = [
  'git@10.0.0.1:team/kit.git', 'git@[::1]:team/kit.git', 'kit@forge:kit.git', 'localhost:kit.git',
  'ssh://git@127.0.0.1/kit.git', 'ssh://git@[fd00::1]:2222/kit.git', 'ssh://0x7f.1/kit.git',
  'git://2130706433/kit.git', 'git://127.0.0.1/kit.git', 'git+ssh://10.0.0.1/kit.git',
  'ssh+git://192.168.0.1/kit.git', 'HTTP://127.0.0.1/', 'hTTps://127.0.0.1/kit.git',
  'http:\\\\127.0.0.1\\', 'http:/127.0.0.1/', 'http://127.0.0.1#@example.org/',
  'http://example.org@127.0.0.1/', 'http://127.0.0.1\\@example.org/', 'http://[fe80::1%25eth0]/',
  'http://[fe80::1%eth0]/kit.git',
]

export const privateAddresses =
  [...hosts.map((host, at) => webForms[at % webForms.length]!(host)), ...otherTransports]
