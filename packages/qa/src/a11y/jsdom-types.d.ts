declare module "jsdom" {
  export class VirtualConsole {
    on(event: string, listener: (...args: unknown[]) => void): this;
  }
  export class JSDOM {
    constructor(
      html: string,
      options: {
        url: string;
        runScripts: "outside-only";
        pretendToBeVisual: boolean;
        virtualConsole: VirtualConsole;
      },
    );
    readonly window: {
      eval(script: string): unknown;
      close(): void;
    };
  }
}
