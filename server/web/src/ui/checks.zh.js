// Checks of a controller in Chinese: what must be so, and what to mend. By the names that server/conformance gives them.
const STATES = '仅当状态表中有箭头时才接受指令；否则返回错误 1，且不作任何改变'
const RESTART = '在第一个周期：更换实例号，写全部 r 寄存器，置 EMPTY，+60 := +39，+78..79 := 0，最后写魔数；仅保留实例号计数器'
const WORDS = {
  'it answers': ['控制器有应答', '检查主机、端口、单元号与首寄存器；Modbus 服务器需支持功能码 3 与 16 的保持寄存器'],
  'magic, version, figures, word order': ['魔数、版本、参数、字序', '在第一个周期写 +0 至 +10，u32 与 float32 高字在前，魔数最后写'],
  'every register can be read': ['全部寄存器可读', '让 Modbus 服务器提供 +0 至 +99、窗口区；能力位 14 置位时还需 42 个测量寄存器'],
  'measured positions are numbers': ['测量位置是有效数', '每个周期将各轴位置写入 +80 起的寄存器'],
  'the uptime runs as fast as time does': ['运行时间与真实时间同步', '以毫秒累加程序每次运行的真实用时（仅当周期准确时才用设定周期）：曲线按此时钟播放'],
  'a wrong check word is neither executed nor acknowledged': ['校验字错误的指令既不执行也不确认', '对实例号、+20..35 与 +38..59 计算 CRC-32，与 +36..37 一致之前不看指令的任何内容'],
  'a command of which half has come waits for the other half': ['只到一半的指令等待另一半', '仅当编号或校验字与上次确认的不同且校验字正确时才看指令'],
  'a check word for another instance is ignored': ['其他实例的校验字被忽略', '校验字的 CRC-32 以自身实例号（+9）开头'],
  'the same command written again is not executed again': ['重复写入的同一指令不再执行', '仅当编号或校验字与上次确认的不同时才执行'],
  "another profile's commands are refused": ['拒绝其他曲线的指令', '除 BEGIN、STREAM 与 CLEAR 外，先将 +22..23 与当前曲线号比较；错误 13'],
  'commands come too late': ['过期的指令', '仅当（+34..35 减运行时间）模 2^32 按无符号数不大于 60000 时执行；错误 14'],
  'refusals come in the order 15, 13, 14, 1, others': ['拒绝的次序为 15、13、14、1、其他', '依次检查纪元、曲线、时间、状态，最后检查参数'],
  'commands of an old epoch are refused': ['拒绝旧纪元的指令', 'BEGIN、STREAM、ARM、START 与 RESUME 的 +38 若非 0 且低于已执行指令的最高值，先于一切拒绝；错误 15。STOP、HOLD、COMMIT 与 CLEAR 放行'],
  'STOP with profile id 0 is executed whatever its check word': ['曲线号为 0 的 STOP 不论校验字均执行', '人发出的 STOP 不需要校验字、曲线号或时间：最先检查它'],
  'wrong arguments are refused and change nothing': ['拒绝错误参数，且不作任何改变', '在改变任何内容之前检查 BEGIN 的全部参数；错误表给出对应编号'],
  'windows of the profile before are not taken': ['不接受上一曲线的窗口', '窗口的 CRC-32 以当前曲线号开头：对曲线号、偏移、字数与数据计算，每个窗口重新计算'],
  'windows of another profile are not taken': ['不接受其他曲线的窗口', '窗口的 CRC-32 以当前曲线号开头'],
  'a window with a wrong CRC-32 is not taken, and no error': ['CRC-32 错误的窗口不接受，也不报错', '接受前比较每个窗口的 CRC-32；不符则下个周期再看'],
  'half a window is not taken, the whole one is': ['不接受半个窗口，接受完整窗口', '检查前先复制窗口区，并使用该副本'],
  'a window behind a gap is not taken': ['不接受有间断的窗口', '仅当窗口偏移等于下一偏移时接受'],
  'windows are found in any place': ['任意窗口区中的窗口都能找到', '查看全部窗口区，直到没有下一偏移；每个周期最多 N 个窗口'],
  'places are left as they were written': ['窗口区保持写入时的内容', '不清除任何窗口区：双方都不写对方的寄存器'],
  'part of a sample and too many samples are error 10': ['不完整或过多的样本报错误 10', 'CRC-32 正确但含不完整样本或超出总数的窗口应拒绝：+77 := 10'],
  'COMMIT compares count and CRC-32': ['COMMIT 比较数量与 CRC-32', '比较样本数与总数，以及已存内容的 CRC-32 与 +32..33；错误 4，LOADING 继续'],
  'a torque that is no number is refused': ['拒绝非数的力矩', '以 NOT (ABS(力矩) <= 限值) 比较：NaN 即超出所有限值；错误 5'],
  'a large profile is stored as it was sent': ['大曲线按发送内容存储', '从回读的已存内容计算 +70..71；状态为 READY 时才确认 COMMIT'],
  'what is refused while COMMIT runs has its own answer': ['COMMIT 期间的拒绝有各自的应答', '保留运行中 COMMIT 的编号与校验字：期间的拒绝立即确认，COMMIT 在结束时确认；期间重写的 COMMIT 不是新指令'],
  'EMPTY holds nothing': ['EMPTY 不保留任何内容', '进入 EMPTY 时将当前曲线号、下一偏移与 CRC-32 置 0'],
  'a stream is loaded and ended': ['流式曲线可加载并结束', 'STREAM 的总数为 0，使用环形缓冲；ARM 需要 500 ms 或全部（错误 8）；LOADING 中的 COMMIT 进入 READY'],
  'what is written is seen at once, as ability bit 10 says': ['写入内容立即可见（能力位 10）', '仅当程序在处理下一请求之前运行时才置能力位 10'],
  'ARM compares the start position': ['ARM 比较起始位置', '对掩码中每个轴按 NOT (ABS(起点 - 测量) <= 容差) 拒绝 ARM，非数亦然；错误 7'],
  'ARMED without a heartbeat is FAULT 9 after 1 s': ['ARMED 无心跳 1 s 后为 FAULT 9', '从进入 ARMED 起，计量 +12..13 为当前曲线号时 +11 上次变化以来的时间'],
  'heartbeats with another profile id do not count': ['其他曲线号的心跳无效', '每次心跳都看 +12..13：只有当前曲线的有效'],
  'PLAYING without a heartbeat comes to rest and is FAULT 9': ['PLAYING 无心跳时停止并为 FAULT 9', '失联策略 1 减速至静止，然后 FAULT，+77 := 9'],
  'a START that comes too late is refused': ['拒绝过期的 START', '执行时将 +34..35 与运行时间比较；错误 14，保持 ARMED'],
  'a START of another profile is refused': ['拒绝其他曲线的 START', '将 +22..23 与当前曲线号比较；错误 13'],
  'START is carried out at once': ['START 立即执行', '每个周期查看 +20..59，在确认 START 的同一周期进入 PLAYING：抱闸与驱动的准备属于 ARM'],
  'a profile is played in its own time and is DONE': ['曲线按自身时间播放并到 DONE', '在运行时间时钟的第 k 个周期播放样本 k；DONE 保留曲线号、CRC-32 与偏移'],
  "measurements are of the profile's time and the arm's place": ['测量值对应曲线时间与手臂位置', '在一个周期内写 42 个测量寄存器：自样本 0 起的路径微秒数（保持时不变），以及该时刻各轴的位置与力矩'],
  'HOLD comes to rest, RESUME goes on': ['HOLD 停止，RESUME 继续', '沿路径将速度降至 0 再恢复；期间播放索引不变'],
}

// [name, mend]; undefined: not known here.
export const checkWords = (name) => WORDS[name]
  ?? (/^every command in [A-Z]+$/.test(name) ? [`${name.slice(17)} 状态下的全部指令`, STATES] : undefined)
  ?? (/^restart in [A-Z]+$/.test(name) ? [`${name.slice(11)} 状态下重启`, RESTART] : undefined)
