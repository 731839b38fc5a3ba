# SPDX-License-Identifier: Apache-2.0
"""The operators of TFLite: number, name, number of the options in the union BuiltinOptions (0: none),
and the fields of the options in the order of their slots. NEWER: options in BuiltinOptions2."""

_ROWS = """
9 FULLY_CONNECTED 8 act:i8 weights_format:i8 keep_num_dims:bool asymmetric:bool \
    quantized_bias_type:i8
3 CONV_2D 1 padding:i8 stride_w:i32 stride_h:i32 act:i8 dilation_w:i32=1 dilation_h:i32=1 \
    quantized_bias_type:i8
4 DEPTHWISE_CONV_2D 2 padding:i8 stride_w:i32 stride_h:i32 depth_multiplier:i32 act:i8 \
    dilation_w:i32=1 dilation_h:i32=1
67 TRANSPOSE_CONV 49 padding:i8 stride_w:i32 stride_h:i32 act:i8 quantized_bias_type:i8
132 CONV_3D 106 padding:i8 stride_d:i32 stride_w:i32 stride_h:i32 act:i8 dilation_d:i32=1 \
    dilation_w:i32=1 dilation_h:i32=1
126 BATCH_MATMUL 101 adj_x:bool adj_y:bool asymmetric:bool
7 EMBEDDING_LOOKUP 0
44 UNIDIRECTIONAL_SEQUENCE_LSTM 71 act:i8 cell_clip:f32 proj_clip:f32 time_major:bool \
    asymmetric:bool diagonal_recurrent_tensors:bool
16 LSTM 14 act:i8 cell_clip:f32 proj_clip:f32 kernel_type:i8 asymmetric:bool
52 BIDIRECTIONAL_SEQUENCE_LSTM 69 act:i8 cell_clip:f32 proj_clip:f32 merge_outputs:bool \
    time_major:bool=1 asymmetric:bool
35 UNIDIRECTIONAL_SEQUENCE_RNN 31 time_major:bool act:i8 asymmetric:bool
24 RNN 7 act:i8 asymmetric:bool
46 BIDIRECTIONAL_SEQUENCE_RNN 70 time_major:bool act:i8 merge_outputs:bool asymmetric:bool
27 SVDF 6 rank:i32 act:i8 asymmetric:bool
142 VAR_HANDLE 111 container:str shared_name:str
143 READ_VARIABLE 112
144 ASSIGN_VARIABLE 113
129 CALL_ONCE 103 init_subgraph_index:i32
119 WHILE 93 cond_subgraph_index:i32 body_subgraph_index:i32
118 IF 92 then_subgraph_index:i32 else_subgraph_index:i32
0 ADD 11 act:i8 pot_scale_int16:bool=1
41 SUB 28 act:i8 pot_scale_int16:bool=1
18 MUL 21 act:i8
42 DIV 29 act:i8
55 MAXIMUM 39
57 MINIMUM 39
99 SQUARED_DIFFERENCE 76
90 FLOOR_DIV 65
95 FLOOR_MOD 72
78 POW 56
106 ADD_N 82
19 RELU 0
21 RELU6 0
20 RELU_N1_TO_1 0
152 RELU_0_TO_1 0
98 LEAKY_RELU 75 alpha:f32
54 PRELU 0
111 ELU 0
117 HARD_SWISH 91
150 GELU 116 approximate:bool
14 LOGISTIC 0
28 TANH 0
47 EXP 33
73 LOG 0
75 SQRT 0
76 RSQRT 0
92 SQUARE 66
101 ABS 78
59 NEG 42
66 SIN 0
108 COS 84
8 FLOOR 0
104 CEIL 0
116 ROUND 0
158 SIGN 123
71 EQUAL 53
72 NOT_EQUAL 54
58 LESS 41
63 LESS_EQUAL 46
61 GREATER 44
62 GREATER_EQUAL 45
86 LOGICAL_AND 62
84 LOGICAL_OR 60
87 LOGICAL_NOT 63
123 SELECT_V2 98
64 SELECT 47
53 CAST 37 in_data_type:i8 out_data_type:i8
114 QUANTIZE 89
6 DEQUANTIZE 38
93 ZEROS_LIKE 67
80 FAKE_QUANT 58 min:f32 max:f32 num_bits:i32 narrow_range:bool
40 MEAN 27 keep_dims:bool
74 SUM 27 keep_dims:bool
82 REDUCE_MAX 27 keep_dims:bool
89 REDUCE_MIN 27 keep_dims:bool
81 REDUCE_PROD 27 keep_dims:bool
140 REDUCE_ALL 27 keep_dims:bool
91 REDUCE_ANY 27 keep_dims:bool
56 ARG_MAX 40 output_type:i8
79 ARG_MIN 57 output_type:i8
48 TOPK_V2 34
128 CUMSUM 102 exclusive:bool reverse:bool
1 AVERAGE_POOL_2D 5 padding:i8 stride_w:i32 stride_h:i32 filter_width:i32 filter_height:i32 act:i8
17 MAX_POOL_2D 5 padding:i8 stride_w:i32 stride_h:i32 filter_width:i32 filter_height:i32 act:i8
12 L2_POOL_2D 5 padding:i8 stride_w:i32 stride_h:i32 filter_width:i32 filter_height:i32 act:i8
25 SOFTMAX 9 beta:f32
50 LOG_SOFTMAX 36
11 L2_NORMALIZATION 12 act:i8
13 LOCAL_RESPONSE_NORMALIZATION 13 radius:i32 bias:f32 alpha:f32 beta:f32
22 RESHAPE 17 new_shape:[i32]
39 TRANSPOSE 26
2 CONCATENATION 10 axis:i32 act:i8
83 PACK 59 values_count:i32 axis:i32
88 UNPACK 64 num:i32 axis:i32
49 SPLIT 35 num_splits:i32
102 SPLIT_V 79 num_splits:i32
65 SLICE 48
45 STRIDED_SLICE 32 begin_mask:i32 end_mask:i32 ellipsis_mask:i32 new_axis_mask:i32 \
    shrink_axis_mask:i32 offset:bool
34 PAD 22
60 PADV2 43
100 MIRROR_PAD 77 mode:i8
36 GATHER 23 axis:i32 batch_dims:i32
107 GATHER_ND 83
122 SCATTER_ND 97
151 DYNAMIC_UPDATE_SLICE 117
70 EXPAND_DIMS 52
43 SQUEEZE 30 squeeze_dims:[i32]
130 BROADCAST_TO 104
145 BROADCAST_ARGS 0
69 TILE 51
94 FILL 68
77 SHAPE 55 out_type:i8
110 RANK 86
96 RANGE 73
105 REVERSE_V2 81
112 REVERSE_SEQUENCE 87 seq_dim:i32 batch_dim:i32
5 DEPTH_TO_SPACE 94 block_size:i32
26 SPACE_TO_DEPTH 19 block_size:i32
37 BATCH_TO_SPACE_ND 24
38 SPACE_TO_BATCH_ND 25
23 RESIZE_BILINEAR 15 new_height:i32 new_width:i32 align_corners:bool half_pixel_centers:bool
97 RESIZE_NEAREST_NEIGHBOR 74 align_corners:bool half_pixel_centers:bool
85 ONE_HOT 61 axis:i32
131 RFFT2D 105
133 IMAG 0
134 REAL 0
135 COMPLEX_ABS 0
124 DENSIFY 99
32 CUSTOM 0
206 STABLEHLO_COMPOSITE 21 name:str decomposition_subgraph_index:i32 \
    composite_attributes:[u8]
"""


def _field(text):
    """Name, type and default of a field: "stride_w:i32", "dilation_w:i32=1"."""
    name, _, rest = text.partition(":")
    kind, _, default = rest.partition("=")
    return name, kind, int(default or 0)


def _rows():
    for line in _ROWS.split("\n"):
        words = line.split()
        if words:
            yield words[1], (int(words[0]), int(words[2]), [_field(word) for word in words[3:]])


NEWER = ("STABLEHLO_COMPOSITE",)
OPERATORS = dict(_rows())  # {name: (number, union, [(field, type, default)])}
