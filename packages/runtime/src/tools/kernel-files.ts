import { statfs } from 'node:fs/promises'

/** What `statfs` says of file systems whose files are the kernel's own: reading may tell secrets of processes, writing changes the machine. */
const KERNEL_TYPES: ReadonlySet<number> = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x73636673, // securityfs
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
  0x1cd1, // devpts
  0x62656570, // configfs
  0xcafe4a11, // bpf
  0xde5e81e4, // efivarfs
  0xf97cff8c, // selinuxfs
  0x19800202 // mqueue
])

/** Whether an address lies on a file system of the kernel. */
export async function isKernelFiles(address: string): Promise<boolean> {
  if (process.platform !== 'linux') return false
  const { type } = await statfs(address)
  return KERNEL_TYPES.has(type >>> 0)
}
