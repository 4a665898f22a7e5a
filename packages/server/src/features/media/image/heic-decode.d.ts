declare module "heic-decode" {
  interface Picture {
    width: number;
    height: number;
    decode(): Promise<{ width: number; height: number; data: Uint8ClampedArray }>;
  }
  interface HeicDecode {
    (input: { buffer: Uint8Array }): Promise<{ data: Uint8ClampedArray }>;
    all(input: { buffer: Uint8Array }): Promise<Picture[] & { dispose(): void }>;
  }
  const decode: HeicDecode;
  export default decode;
}
