// 简体中文 for the sentences of the service. A sentence is looked for among the patterns first, whose {places} are taken over; one that
// is not among them is said by its code, with the numbers and names that it holds. To add one: a row.

// Types of problems, codes of faults, warnings, remarks, alarms.
const CODES = {
  '/problems/syntax': '无法解析请求',
  '/problems/bad-request': '请求不完整或格式错误',
  '/problems/unauthorized': '需要 API 密钥',
  '/problems/forbidden': '此密钥无权执行该操作',
  '/problems/motion-forbidden': '此密钥不允许驱动该手臂',
  '/problems/foreign-host': '本服务不以该主机名提供',
  '/problems/foreign-origin': '其他来源的网页不得更改任何内容',
  '/problems/not-found': '没有该资源',
  '/problems/method-not-allowed': '该资源不支持此方法',
  '/problems/not-acceptable': '没有可接受格式的应答',
  '/problems/timeout': '请求到达过慢',
  '/problems/conflict': '与当前状态冲突',
  '/problems/lease-held': '另一传输正占用该控制器',
  '/problems/stale': '资源在此期间已被更改',
  '/problems/too-large': '请求或应答过大',
  '/problems/uri-too-long': 'URL 过长',
  '/problems/unsupported-media-type': '不支持该正文格式',
  '/problems/invalid': '内容无效',
  '/problems/idempotency-mismatch': '该幂等键已用于另一请求',
  '/problems/request-in-flight': '使用该幂等键的首个请求尚未应答',
  '/problems/limit-exceeded': '运动超出手臂的限制',
  '/problems/revision-mismatch': '针对机器人的另一版本计算',
  '/problems/part-mismatch': '规划所用工件与手臂所持工件不同',
  '/problems/precondition-required': '需要 If-Match',
  '/problems/too-many-requests': '请求过多',
  '/problems/headers-too-large': '请求头过大',
  '/problems/internal': '内部错误',
  '/problems/unavailable': '暂不可用',
  '/problems/storage-full': '存储已满',
  '/problems/infeasible': '没有满足限制的运动',
  '/problems/undecided': '既未找到运动，也未能证明其不存在',
  '/problems/worker-lost': '计算进程丢失',
  '/problems/worker-limit': '计算超出工作进程的资源上限',
  '/problems/time-limit': '超过时间上限',
  '/problems/cancelled': '已取消',
  '/problems/start-expired': '未在规定时间内启动',
  '/problems/controller-unreachable': '无法连接控制器',
  '/problems/controller-refused': '控制器拒绝',
  '/problems/transfer-interrupted': '传输中断',
  // faults of a request
  syntax: '格式错误',
  unknown_field: '没有此字段',
  duplicate: '重复出现',
  required: '缺少必填项',
  type: '类型不符',
  length: '长度不符',
  minimum: '小于允许的最小值',
  maximum: '大于允许的最大值',
  finite: '必须为有限数',
  enum: '不在允许的取值之中',
  pattern: '格式不符',
  unphysical: '物理上不可能',
  inconsistent: '与其他内容不一致',
  unsupported: '不受支持',
  // identification and its data
  validation_repeats_training: '验证数据重复了训练运动，其误差过于乐观；请用另一运动验证',
  gravity_direction: '换一个重力方向时拟合明显更好；请更正机器人的重力',
  torque_sign: '力矩取反后拟合明显更好；请在映射中更正符号',
  position_sign: '位置取反后拟合明显更好；请在映射中更正符号',
  unit_suspect: '单位可疑；请核对并在映射中给出单位',
  channel_delay: '力矩与位置的记录存在时间差；请平移其一，或对两者使用相同滤波',
  joint_at_rest: '该关节几乎不动，无法得到其摩擦和惯量；请让每个关节运动',
  rank_deficient: '该运动无法将某些参数与其他参数区分；请让更多关节同时运动',
  repeated_samples: '手臂运动时样本仍重复；请按控制器频率记录，或给出实际采样率',
  clipped: '力矩长时间停在极值；请减小运动幅度或扩大测量范围',
  velocity_differs: '记录的速度与位置不一致，已改用位置；请核对其单位和时间',
  channels_swapped: '交换通道后拟合明显更好；请更正映射中的列',
  condition_unknown: '无法给出条件数',
  prior_massless: '模型中该连杆没有质量，以均匀密度的球代替；请给出连杆惯性，或不使用先验',
  prior_unphysical: '模型中该连杆的惯量在物理上不可能，以最接近的可能值代替；请更正模型',
  conditions_differ: '数据集注明其负载、工具或重力与模型不同；此处采用模型的值',
  other_conditions: '该日志记录时的负载、工具或重力与模型不同，残差包含此差异',
  payload_unseen: '日志中看不到负载；请核对日志与模型',
  stribeck_unknown: '数据无法确定 Stribeck 摩擦；请记录更慢的运动或摩擦测试',
  fit_poor: '仍有较大部分力矩未被解释',
  noise_only: '模型剩余部分有规律地重复，该关节的标准差仅计入噪声，偏小；请尝试其他摩擦项',
  inconsistent_link: '没有物体具有该连杆的参数，仿真可能失败；请使用估计方法“consistent”',
  beyond_training: '验证运动的速度超出训练范围，摩擦为外推；请同时用更快的运动训练',
  friction_sign: '摩擦参数被数据推到边界；摩擦项缺失或有误，或速度不准',
  ill_conditioned: '该运动几乎无法区分某些参数；请改变运动，或使用带先验的估计方法',
  event: '多个关节同时出现较大残差；若手臂受到接触，请在训练中去掉这些时刻',
  ripple_filtered: '力矩滤波使该谐波的幅值无法判定；请提高力矩截止频率，或记录更慢的运动',
  deviation_small: '给出的标准差偏小：真值落入区间的次数明显少于应有',
  biased: '辨识结果的平均值偏离真值',
  velocities_unused: '该辨识采用了记录的速度；统计仅以仿真位置求导',
  terms_vary: '各次仿真选择了不同的摩擦项',
  runs_failed: '部分仿真未能辨识',
  diverged: '控制回路发散',
  few_blocks: '数据太短或相关性太长，其区间可能过窄',
  too_few_runs: '匀速运行次数不足',
  gaps: '时间间隔过长：缺少样本',
  clock_jitter: '采样时钟抖动；请使用等间隔样本',
  rest: '存在所有关节均静止的时段',
  no_torque: '没有力矩：该日志只能绘图，不能用于辨识',
  // motions
  friction_step: '相邻样本间摩擦变号，力矩跳变超出力矩变化率限制',
  baseline_draws_less: '相同时间内的传统规划耗电更少且满足限制',
  baseline_costs_less: '相同时间内的传统规划代价更低且满足限制',
  planned_smoothly: '无法加载所要求的运动，已由平滑运动代替',
  missing_limits: '缺少限制：规划运动和发送到控制器需要它',
  nothing_to_accelerate: '该连杆及其后均无质量和惯量：无法计算正动力学',
  stiction_below_coulomb: '静摩擦低于滑动摩擦',
  gravity_magnitude: '重力大小异常',
  // alarms
  'controller-lost': '控制器无响应',
  'controller-fault': '控制器处于故障状态',
  'controller-restarted': '控制器已重新启动：请查看手臂',
  'gateway-down': '网关未运行',
  'queue-blocked': '队列被阻止',
  'store-full': '磁盘已满：在腾出空间之前不接受任何更改',
  'store-failed': '无法写入存储',
  'store-slow': '磁盘长时间未完成写入：更改将等待',
  'disk-low': '存储磁盘剩余空间不足',
  'workers-fail': '工作进程反复崩溃或停止响应；日志中有结束原因',
  'clock-behind': '时钟落后于存储中的时间',
}

// Whole sentences, and beginnings or ends of them that are put together.
const PATTERNS = [
  // problems
  ['The request was understood, but values in it are wrong. `errors` lists every one with its place.', '请求格式正确，但其中的值有误，逐项列于下方。'],
  ["The key's role does not include this call.", '该密钥的角色不包含此操作。'],
  ['Check the path; names are case-sensitive. `/docs` shows every call.', '请检查路径；名称区分大小写。'],
  ["there is no {kind} '{name}'", '不存在“{name}”'],
  ["there is no {kind} '{name}'; did you mean '{other}'?", '不存在“{name}”；是否指“{other}”？'],
  ["there is a {kind} '{name}' already", '“{name}” 已存在'],
  ["key '{key}' is a key for the role {role}; this call needs {needed}", '密钥“{key}”的角色是 {role}；此操作需要 {needed}'],
  ['{n} results refer to it', '有 {n} 个结果引用它'],
  ["transfer {id} holds controller '{name}'", '传输 {id} 占用控制器“{name}”'],
  ["{n} orders of controller '{name}' have not ended: cancel them first", '控制器“{name}”有 {n} 个订单未结束：请先取消'],
  ['the job has ended already', '任务已结束'],
  ['this is the last key of an admin: make another one first', '这是最后一个管理员密钥：请先创建另一个'],
  ['the service is busy: its queue is full', '服务繁忙：队列已满'],
  ['the service stops', '服务正在停止'],
  // faults of values
  ['is missing', '缺少此项'],
  ['is missing: {what}', '缺少此项'],
  ['must not be empty', '不能为空'],
  ['must be >= {low} and <= {high}, got {got}', '必须在 {low} 与 {high} 之间，当前为 {got}'],
  ['must be > {low} and <= {high}, got {got}', '必须大于 {low} 且不大于 {high}，当前为 {got}'],
  ['must be > {low}, got {got}', '必须大于 {low}，当前为 {got}'],
  ['must be >= {low}, got {got}', '必须不小于 {low}，当前为 {got}'],
  ['must be <= {high}, got {got}', '必须不大于 {high}，当前为 {got}'],
  ['must not be 0', '不能为 0'],
  ['must be a whole number, got {got}', '必须为整数，当前为 {got}'],
  ['must be {low} .. {high}, got {got}', '必须在 {low} 与 {high} 之间，当前为 {got}'],
  ['must be {low} to {high}, got {got}', '必须在 {low} 与 {high} 之间，当前为 {got}'],
  ['must be at most {most}, got {got}', '最多为 {most}，当前为 {got}'],
  ['must be at least {least}, got {got}', '至少为 {least}，当前为 {got}'],
  ['must be [lower, upper] with lower < upper, got [{low}, {high}]', '下限必须小于上限，当前为 [{low}, {high}]'],
  ['must be positive semidefinite, its smallest principal moment is {value} kg m^2', '必须半正定，最小主惯量为 {value} kg m²'],
  ['must keep the triangle inequality, its principal moments are {a}, {b} and {c} kg m^2, and {d}', '必须满足三角不等式，主惯量为 {a}、{b}、{c} kg m²'],
  ['must be unique, "{name}" is joint {j} too', '不得重复：“{name}” 也是第 {j} 关节的名称'],
  ['{what} has no such field', '没有此字段'],
  ['{what} has no such field; did you mean "{other}"?', '没有此字段；是否指“{other}”？'],
  // models of robots and their meshes
  ['with {m} kg, {i} kg m^2 is a radius of gyration of {r} m, but the arm reaches {reach} m; is it in kg mm^2?', '质量 {m} kg、惯量 {i} kg m² 对应回转半径 {r} m，而手臂可达 {reach} m；单位是否为 kg mm²？'],
  ['the centre of mass is {far} m away, the arm reaches {reach} m; is it in mm?', '质心距离 {far} m，而手臂可达 {reach} m；单位是否为 mm？'],
  ['a mass of {m} kg is unusual; is it in g?', '质量 {m} kg 异常；单位是否为 g？'],
  ['a link of {m} m is unusual; is it in mm?', '连杆长度 {m} m 异常；单位是否为 mm？'],
  ['an offset of {m} m is unusual; is it in mm?', '偏距 {m} m 异常；单位是否为 mm？'],
  ['{a} rad is more than a turn; is it in degrees?', '{a} rad 超过一圈；单位是否为度？'],
  ['[{low}, {high}] is a wide range; positions are in {unit}', '[{low}, {high}] 范围过大；位置单位为 {unit}'],
  ['{v} {unit} is fast; is it in {other}?', '{v} {unit} 过快；单位是否有误？'],
  ['no limit of {limits}: planning a motion and sending it to a controller need it', '缺少限制（{limits}）：规划运动和发送到控制器需要它'],
  ['neither this link nor anything beyond it has mass or inertia: forward dynamics has no answer', '该连杆及其后均无质量和惯量：无法计算正动力学'],
  ['break-away friction {a} is below sliding friction {b}', '静摩擦 {a} 低于滑动摩擦 {b}'],
  ['reflected to the joint it is {i} kg m^2; is the rotor inertia stated at the joint already, or in kg cm^2?', '折算到关节为 {i} kg m²；转子惯量是否已按关节侧给出，或单位为 kg cm²？'],
  ['its magnitude is {g} m/s^2; on earth it is about 9.81', '其大小为 {g} m/s²；地球上约为 9.81'],
  ['it points along +z of the base: right for a hanging arm; gravity is the acceleration of free fall here, and some programs state the opposite sign', '方向为基座 +z：适用于倒挂手臂；此处重力指自由落体加速度，某些程序符号相反'],
  ['this is COLLADA (.dae), which is not read: {rest}', '这是 COLLADA（.dae），无法读取：{rest}'],
  ['this is {what}, which is not read: {rest}', '这是 {what}，无法读取：{rest}'],
  ['convert it to binary STL, e.g. in MeshLab, Blender or by `{command}`', '请转换为二进制 STL，例如用 MeshLab、Blender 或命令 `{command}`'],
  ['there is no triangle in it', '其中没有三角形'],
  ['neither STL nor OBJ: {n} bytes', '既非 STL 也非 OBJ：{n} 字节'],
  // identification
  ['{percent} % of the torque stay unexplained on the {which} data, both sides filtered alike; see lack_of_fit for what comes back, and the plots for what does not', '（同滤波）有 {percent} % 的力矩未被解释；规律部分见失拟，其余见图'],
  ['what the model leaves comes back at the same {over}, {times} times as large as noise: the deviations of this joint count noise only and say too little. Try other terms of friction{more}', '模型剩余部分在相同状态下重复出现，为噪声的 {times} 倍：该关节的标准差仅计入噪声，偏小。请尝试其他摩擦项'],
  ['what is left comes back whenever this joint and joint {other} move alike, {times} times the noise, which alone its deviations count. If their motors turn together, friction is at the motors, and joint by joint the model cannot have it', '该关节与关节 {other} 以相同方式运动时，模型剩余部分重复出现，为噪声的 {times} 倍，而标准差仅计入噪声。若两者的电机联动，摩擦在电机侧，逐关节的模型无法表示'],
  ['the validation moves this joint at up to {fast} rad/s (m/s), the training at up to {slow}: friction there is extrapolated. Train with faster motion too', '验证运动速度达 {fast} rad/s (m/s)，训练仅 {slow}：此处摩擦为外推。请同时用更快的运动训练'],
  ['{what} is kept at its bound, which the data pull it across by more than noise: a term of friction is missing or wrong, such as stribeck for friction that falls with speed, or velocities are off', '{what} 被限制在边界，数据将其推出边界且超过噪声：摩擦项缺失或有误（如摩擦随速度下降时的 stribeck），或速度不准'],
  ['several joints are far off at once at {when}: if something touched the arm, train without these moments', '多个关节在 {when} 同时出现较大残差：若手臂受到接触，请去掉这些时刻再训练'],
  ['the motion hardly tells apart {which} (condition index {index}): move otherwise, or take an estimator with a prior', '该运动几乎无法区分 {which}（条件指数 {index}）：请改变运动，或使用带先验的估计方法'],
  ['the motion does not tell {which} from other parameters; move more joints at once, or use an estimator with a prior', '该运动无法将 {which} 与其他参数区分；请让更多关节同时运动，或使用带先验的估计方法'],
  ["the motion does not tell {which} from other parameters, its value is the prior's; move more joints at once", '该运动无法将 {which} 与其他参数区分，其值取自先验；请让更多关节同时运动'],
  ['joint {j} moves by only {how} {unit}; its friction and inertia cannot be found: move every joint', '关节 {j} 仅移动 {how} {unit}，无法得到其摩擦和惯量：请让每个关节运动'],
  ['the torque of joint {j} stays at {low} or {high} for {part} % of the time; move more gently, or raise the range of the measurement', '关节 {j} 的力矩有 {part} % 的时间停在 {low} 或 {high}；请减小运动幅度，或扩大测量范围'],
  ['the torque of joint {j} is logged about {ms} ms {when} than its position; let an identification find and take out the delay (find_torque_delay), or filter both alike', '关节 {j} 的力矩与位置的记录相差约 {ms} ms；请在辨识时查找并消除延迟（find_torque_delay），或对两者使用相同滤波'],
  ['the torque of joint {j} is logged about {ms} ms {when} than its position; held-out parts do not confirm it, or it is longer than a quarter of a period of the torque filter: it was not taken out', '关节 {j} 的力矩与位置的记录相差约 {ms} ms；留出数据未予证实，或其超过力矩滤波周期的四分之一：未作消除'],
  ['the velocity is {gain} times what its positions say (std {std}): state its unit in the mapping; positions are used', '速度为位置所示的 {gain} 倍（标准差 {std}）：请在映射中给出单位；已改用位置'],
  ['the velocity is logged {ms} ms {when} than its positions (std {std} ms), of which {least} do no harm; positions are used', '速度与位置的记录相差 {ms} ms（标准差 {std} ms），其中 {least} ms 以内无害；已改用位置'],
  ['the data show no Stribeck friction, stiction is not above Coulomb friction by more than {n} of their deviations: the joint is identified without. If it has it, log slower motion or a friction test', '数据未显示 Stribeck 摩擦（静摩擦高出库仑摩擦不足 {n} 个标准差），故不包含该项辨识。若确有此摩擦，请记录更慢的运动或摩擦测试'],
  ['the data do not tell the Stribeck velocity: {v} is only the best of those tried, and stiction is as rough. Log slower motion, or a friction test of this joint', '数据无法确定 Stribeck 速度：{v} 仅为所试值中最好者，静摩擦同样粗略。请记录更慢的运动，或对该关节进行摩擦测试'],
  ['{model} was identified from {part}data set {set}: its errors there are too good to tell how it does on other motions', '{model} 由数据集 {set} 辨识得到：其在该数据上的误差过于乐观，不能代表其他运动'],
  ['data set {set}: {rest}', '数据集 {set}：{rest}'],
  ['data set {set} is too short for intervals of its errors', '数据集 {set} 太短，无法给出误差区间'],
  ['what models leave on data set {set} is correlated too long for blocks of {s} s: its intervals may be too narrow', '数据集 {set} 上的残差相关时间过长，{s} 秒的分块不足：其区间可能过窄'],
  ['validation data repeat the motion that was trained on: their errors are too good to tell how the model does on other motions; validate with another motion', '验证数据重复了训练运动：其误差过于乐观，不能代表其他运动；请用另一运动验证'],
  ['{n} of {all} simulated runs chose other terms of friction than are simulated; parameters that a run does not have are counted less often', '{all} 次仿真中有 {n} 次选择了与仿真不同的摩擦项；某次仿真没有的参数计入次数较少'],
  ['{what} is found {off} off the truth in the mean, where {std} is stated as deviation', '{what} 平均偏离真值 {off}，而给出的标准差为 {std}'],
  ['{what}: {n} of {all} runs have the truth within 1.96 deviations, where 95 % should; it spreads by {spread}, and {std} is stated', '{what}：{all} 次中仅 {n} 次真值落入 1.96 个标准差（应为 95 %）；实际离散 {spread}，给出 {std}'],
  ['{n} of {all} simulated runs found nothing, the first because: {rest}', '{all} 次仿真中有 {n} 次未能辨识，首个原因：{rest}'],
  ['the model has no parameter {what}, which identification {id} found', '模型没有辨识 {id} 得到的参数 {what}；请先将其采用为模型'],
  ['joint {j} is {off} {unit} off at {t} s', '关节 {j} 在 {t} 秒时偏离 {off} {unit}'],
  // quality of logs
  ['{n} intervals longer than 1.5 usual ones, the longest {long} s at t = {t} s: samples are missing', '有 {n} 个间隔超过通常的 1.5 倍，最长 {long} 秒（t = {t} 秒）：缺少样本'],
  ['{n} interval longer than 1.5 usual ones, the longest {long} s at t = {t} s: samples are missing', '有 {n} 个间隔超过通常的 1.5 倍，为 {long} 秒（t = {t} 秒）：缺少样本'],
  ['the intervals of the clock scatter by {part} %; use samples at an even rate, {rate} Hz', '采样间隔波动 {part} %；请使用 {rate} Hz 的等间隔样本'],
  ['{n} samples amid motion are the same as the one before but for the time, first at t = {t} s: the log is faster than its source', '运动中有 {n} 个样本与前一样本相同（首次 t = {t} 秒）：记录快于数据源'],
  ['no joint moves in {n} stretches of 0.25 s or more, {part} of {all} s', '有 {n} 段（每段不短于 0.25 秒）所有关节静止，共 {part} 秒，总长 {all} 秒'],
  ['no joint moves in {n} stretch of 0.25 s or more, {part} of {all} s', '有 {n} 段（不短于 0.25 秒）所有关节静止，共 {part} 秒，总长 {all} 秒'],
  ['joint {j} never moves: its positions stay within {within}', '关节 {j} 从不运动：位置变化不超过 {within}'],
  ['joint {j} goes from {low} to {high} rad: are these degrees? A mapping has units', '关节 {j} 从 {low} 到 {high} rad：是否为度？可在映射中给出单位'],
  ['the torque of joint {j} stands at {at} for {n} samples until t = {t} s while it moves', '关节 {j} 运动时其力矩有 {n} 个样本停在 {at}（直到 t = {t} 秒）'],
  ['the torque of joint {j} comes about {ms} ms {when} the motion ({n} samples)', '关节 {j} 的力矩与运动相差约 {ms} ms（{n} 个样本）'],
  ['there are no torques: the log serves for plots, not for identification', '没有力矩：该日志只能绘图，不能用于辨识'],
  // motions
  ['the shortest duration of this profile is {s} s', '该规划的最短时长为 {s} 秒'],
  ['no motion of {s} s keeps all limits: the nearest one uses {times} times the {limit} limit of joint {j} {name} at {t} s; {rest}', '没有满足全部限制的 {s} 秒运动：最接近的运动在 {t} 秒时关节 {name} 达到限制的 {times} 倍；{rest}'],
  ['the smallest feasible duration is about {s} s', '最短可行时长约为 {s} 秒'],
  ['{what} of joint {j} {name} is {value} {unit} at {t} s of {all} s, {times} times its limit; {rest}', '关节 {name} 在 {t} 秒（共 {all} 秒）时为 {value} {unit}，是限制的 {times} 倍；{rest}'],
  ['the tool cannot follow the path: at {part} of it {far} m and {turned} rad are missing', '末端无法沿该路径运动：在其 {part} 处相差 {far} m 和 {turned} rad'],
  ['Every limit is kept.', '满足全部限制。'],
  ['No limit is in force.', '没有生效的限制。'],
  ['A limit is exceeded a little.', '略微超出一项限制。'],
  ['The {limit} limit of joint {j} is used most: {part} % at {t} s.', '关节 {j} 的{limit}限制使用最多：{t} 秒时 {part} %。'],
  ['A spline of {n} intervals, at most {off} off the {all} samples.', '{n} 段样条，与 {all} 个样本最多相差 {off}。'],
  ['A spline of {n} intervals, at most {off} off the {all} samples, which does not begin and end at rest.', '{n} 段样条，与 {all} 个样本最多相差 {off}；起止处并非静止。'],
  ['The cheapest motion that was found, shaped afterwards.', '所找到的代价最低的运动，随后经过整形。'],
  ['No other timing of this path, on this mesh, costs less by more than a part of {part}.', '在此网格上，该路径没有其他时间分配能使代价再低 {part} 以上。'],
  ['The search found nothing cheaper than the {what}, which is the answer.', '未找到比{what}代价更低的运动，故以其为结果。'],
  ['No motion near this one costs less ({n} local minima from {all} starts; a better one may exist).', '附近没有代价更低的运动（{all} 个起点得到 {n} 个局部极小；可能存在更优者）。'],
  ['No motion near this one costs less ({n} local minimum from {all} starts; a better one may exist).', '附近没有代价更低的运动（{all} 个起点得到 {n} 个局部极小；可能存在更优者）。'],
  ['No motion near this one costs less ({n} local minimum from {all} start; a better one may exist).', '附近没有代价更低的运动（{all} 个起点得到 {n} 个局部极小；可能存在更优者）。'],
  ['The search ended before it was sure that no motion near this one costs less.', '搜索结束时尚不能确定附近没有代价更低的运动。'],
  ['The cost model electrical minimises what the supply gives.', '代价模型 electrical 使电源供能最小。'],
  ['{n} parameters, condition number {c}.', '{n} 个参数，条件数 {c}。'],
  ['{n} runs at constant speed.', '{n} 次匀速运行。'],
  // work
  ['searching for the best motion: iteration {n}', '搜索最优运动：第 {n} 次迭代'],
  ['timing the path: iteration {n}', '路径时间优化：第 {n} 次迭代'],
  ['looking through data set {n} of {all}', '检查数据集 {n}/{all}'],
  ['reading, block {n} of {all}, pass {pass}', '读取第 {n}/{all} 块，第 {pass} 遍'],
  ['trying terms of friction on held-out parts of the data, {n} of {all}', '在留出数据上尝试摩擦项 {n}/{all}'],
  ['refining Stribeck velocities, round {n} of at most {all}', '优化 Stribeck 速度，第 {n} 轮（最多 {all} 轮）'],
  ['weighing the data against the model', '在数据与模型之间加权'],
  ['simulated run {n} of {all}', '第 {n} 次仿真（共 {all} 次）'],
  ['identifying what is simulated', '辨识待仿真的手臂'],
  ['case {n} of {all}: {what}', '第 {n} 种情况（共 {all} 种）'],
  ['gains {n} of at most {all}', '第 {n} 组增益（最多 {all} 组）'],
  ['opening the data sets', '打开数据集'],
  ['opening models and data sets', '打开模型与数据集'],
  ['drawing blocks for intervals', '为区间抽取分块'],
  ['predicting data set {n} of {all}', '预测数据集 {n}/{all}'],
  ['finding runs at constant speed', '查找匀速运行'],
  ['holding out parts of', '留出部分数据'],
  // orders and transfers
  ['the queue is blocked: {rest}', '队列被阻止：{rest}'],
  ['the queue is blocked: {rest}. Look at the arm, then POST {path}', '队列被阻止：{rest}。请查看手臂，然后放行队列'],
  ['STOP was sent to the controller', '已向控制器发送 STOP'],
  ['its transfer was stopped', '其传输已停止'],
  ['the controller was started anew', '控制器已重新启动'],
  ['the gateway was started anew', '网关已重新启动'],
  ['the service was started anew', '服务已重新启动'],
  ['the controller does not answer', '控制器无响应'],
  ['the controller was started anew: look at the arm', '控制器已重新启动：请查看手臂'],
  ['the controller is in fault: {n}, {what}', '控制器处于故障状态：{n}'],
  ['its start was asked for', '已请求启动'],
  ['its start was asked for already', '已请求过启动'],
  ['the order starts by itself', '订单自动启动'],
  ['the order has ended already', '订单已结束'],
  ['order {id} is at the controller', '订单 {id} 在控制器上'],
  ['transfer {id} holds the controller', '传输 {id} 占用控制器'],
  ['its transfer is {state}, {n} of {all} samples', '其传输：{n}/{all} 个样本'],
  ['job {id} is {state}, {part} %', '任务 {id}：{part} %'],
  ['job {id}, which planned it, was cancelled', '规划任务 {id} 已取消'],
  ['job {id} plans /steps/{k}', '任务 {id} 正在规划第 {k} 步'],
  ['/steps/{k} is planned', '第 {k} 步已规划'],
  ['job {id} joins the steps', '任务 {id} 正在连接各步'],
  ['the plan of order {id} serves again', '沿用订单 {id} 的规划'],
  ['no motion was found: see its problem', '未找到运动：见其问题说明'],
  ["the joints' work is {j} J less than planned, {part} J of it because braking gave back {back} J instead of {planned} J", '关节做功比计划少 {j} 焦，其中 {part} 焦是因为制动回馈 {back} 焦而非 {planned} 焦'],
  ["the joints' work is {j} J more than planned, {part} J of it because braking gave back {back} J instead of {planned} J", '关节做功比计划多 {j} 焦，其中 {part} 焦是因为制动回馈 {back} 焦而非 {planned} 焦'],
  ['its clock goes {part} % too fast: profiles are played at that speed', '其时钟快 {part} %：曲线按此速度播放'],
  ['its clock goes {part} % too slow: profiles are played at that speed', '其时钟慢 {part} %：曲线按此速度播放'],
  ['no telemetry of it was kept', '未保存其遥测数据'],
  ['it did not move, or nothing was measured', '未运动，或未测得任何数据'],
  ['points {a} to {b} of table {k}', '表 {k} 的第 {a} 至 {b} 点'],
  ['points {a} to {b}', '第 {a} 至 {b} 点'],
  ['pulse of {field} = {value}', '脉冲 {field} = {value}'],
  ['the other value of {field}', '{field} 的另一个值'],
  ['wait until {field} = {value}', '等待 {field} = {value}'],
  ['check that {field} = {value}', '检查 {field} = {value}'],
  ['not yet: {field} = {value}', '尚不得为 {field} = {value}'],
  ['{field} = {value} is told', '告知 {field} = {value}'],
  // webhooks
  ['the answer was {status}', '应答为 {status}'],
  ['Could not resolve host: {host}', '无法解析主机名：{host}'],
  ['Failed to connect to {host} port {port} after {ms} ms: {rest}', '无法连接 {host} 端口 {port}'],
  ['its address may not be called: --webhook-networks does not name it', '不允许调用其地址：--webhook-networks 未包含它'],
  ["an administrator took the lease", '管理员收回了占用'],
  ['what was measured cannot be held against the plan', '实测数据无法与计划比较'],
]

// Words that stand in places of sentences.
const WORDS = {
  position: '位置', velocity: '速度', acceleration: '加速度', jerk: '加加速度', torque: '力矩', torque_rate: '力矩变化率', 'torque rate': '力矩变化率',
  quintic: '五次多项式', cubic: '三次样条', trapezoid: '梯形速度', 'motion of least torque': '力矩最小的运动', training: '训练', validation: '验证', 'the toggled value': '翻转后的值',
}

const worded = (text) => text.split(', ').every((one) => WORDS[one]) ? text.split(', ').map((one) => WORDS[one]).join('、') : text

const special = /[.*+?^$()|[\]\\]/g
const compiled = PATTERNS.map(([english, chinese]) => {
  const names = [...english.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
  return { test: new RegExp(`^${english.replace(special, '\\$&')
    .replace(/\{rest\}/g, '(.+)').replace(/\{\w+\}/g, '((?:(?!\\. [A-Z0-9]).)+?)')}$`, 's'), names, chinese }
})

const UNITS = 'kg m\\^2|N m|rad\\/s|m\\/s|rad|Hz|kg|ms|MiB|%|s|m|N'
const FACT = new RegExp(`'([^']+)'|"([^"]+)"|(?<![\\w.])joint (\\w+)|(?<![\\w.])(-?\\d[\\d.]*\\d|-?\\d)(e[-+]?\\d+)?( ?(?:${UNITS}))?(?!\\w)`, 'g')
// What a sentence says in names and numbers.
const factsOf = (text) => [...new Set([...text.matchAll(FACT)].map((match) => (match[1] ?? match[2] ? `“${match[1] ?? match[2]}”` : match[3] ? `关节 ${match[3]}` : match[0])))].slice(0, 8).join('、')

const kept = new Map()

// By the patterns, the whole of it or each of its sentences; null where one is not among them.
function byPattern(text) {
  for (const { test, names, chinese } of compiled) {
    const match = text.match(test)
    if (!match) continue
    const value = (name) => match[names.indexOf(name) + 1]
    return chinese.replace(/\{(\w+)\}/g, (_, name) => (name === 'rest' ? translated(value(name)) : worded(value(name))))
  }
  const parts = text.trim().split(/(?<=\.) (?=[A-Z0-9])/)
  const said = parts.length > 1 && parts.map(byPattern)
  return said && said.every((one) => one !== null) ? said.join('') : null
}

function translated(text, code) {
  const known = byPattern(text)
  if (known !== null) return known
  if (!/[a-z]{2,} [a-z]{2,}/i.test(text)) return text // no sentence
  const facts = factsOf(text)
  const meaning = CODES[code] ?? code ?? '服务信息'
  return facts ? `${meaning}（${facts}）` : meaning
}

export function chinese(text, code) {
  const key = `${code} ${text}`
  if (kept.size > 2000) kept.clear()
  if (!kept.has(key)) kept.set(key, translated(text, code))
  return kept.get(key)
}
